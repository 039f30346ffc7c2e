"""What a person looks at: pictures, plots, pages."""
