"""What several test files share; pytest finds no tests here."""
