# A container in which code of the agent runs; the service dials it. Build from the root of the checkout:
#   docker build --file deploy/docker/runner.Dockerfile --tag reborn-runner .
FROM debian:12-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        bash python3 python3-numpy python3-pandas python3-matplotlib python3-scipy python3-openpyxl python3-docx python3-pil \
        python3-lxml python3-xlsxwriter python3-pypdf python3-reportlab sqlite3 jq ripgrep git unzip imagemagick pandoc \
        poppler-utils procps fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/* \
    && mkdir --mode=1777 /workspace
COPY src/sandbox/inside/serve.py /usr/local/lib/reborn/serve.py

# It must not be root, and must be process 1: no --init. The service sends everything else, so it needs no variable and no secret.
# Three folders are written, each of which needs a tmpfs with a size: /workspace, /tmp and /dev/shm.
USER 64000:64000
WORKDIR /workspace
EXPOSE 7070
ENTRYPOINT ["python3", "-IBS", "/usr/local/lib/reborn/serve.py", "7070"]
