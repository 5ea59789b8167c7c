"""What recalled memories look like in a prompt, and where they stand: values in, values out."""
