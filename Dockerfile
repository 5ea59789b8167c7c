# The memory server alone, without text-generation-webui. docs/server.md tells how to run it.
FROM python:3.12-slim
WORKDIR /app
COPY pyproject.toml requirements.txt README.md LICENSE ./
COPY memory_core ./memory_core
RUN pip install --no-cache-dir '.[server,mcp]' \
    && useradd --create-home memory \
    && install -d -o memory -m 700 /memories
USER memory
VOLUME /memories
EXPOSE 8010
ENTRYPOINT ["long-term-memory"]
CMD ["serve", "--host", "0.0.0.0", "--storage", "/memories"]
