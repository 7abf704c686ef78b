"""The served store inside other libraries: a LangChain retriever, a LlamaIndex reader.

Each module needs its library (`pip install citation-pipeline[langchain]`, `[llama-index]`) and nothing of the
pipeline but its client.
"""
