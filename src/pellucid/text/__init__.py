"""Words and figures as people say them: values, shares, suggestions, text that every page can hold."""
