"""What the library says, in the words of pages and reports.

page_words.py    chances in percent, "empty" for null, fields of the page for options of the command line
counted_rows.py  rows instead of people, where several rows belong to one person
"""
