"""What tests share: small domains, the command line, results without fits, textbook versions, the code of pages."""
