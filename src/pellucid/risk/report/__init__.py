"""How an attack is told: whom a promise covers, what carries a headline, words and charts."""
