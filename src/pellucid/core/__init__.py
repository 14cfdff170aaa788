"""What everything speaks of: tables and what their columns are, coins, requests, recipes, releases."""
