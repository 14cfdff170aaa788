"""What a refused cut tells: its shape, one refused cut, several of them."""
