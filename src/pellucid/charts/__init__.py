"""Charts as plain dictionaries of Vega-Lite, drawn without a network."""
