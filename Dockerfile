# The memory server alone, without text-generation-webui. docs/server.md tells how to run it.
FROM python:3.12-slim
WORKDIR /app
COPY pyproject.toml requirements.txt README.md LICENSE ./
COPY memory_core ./memory_core
# hadolint ignore=DL3013
RUN pip install --no-cache-dir '.[server,mcp]' \
    && useradd --create-home --uid 1000 memory \
    && install -d -o memory -m 700 /memories
USER 1000
VOLUME /memories
EXPOSE 8010
ENTRYPOINT ["long-term-memory"]
CMD ["serve", "--host", "0.0.0.0", "--storage", "/memories"]
