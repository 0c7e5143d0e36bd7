# The images of a collection, built from Debian's packages: database (PostgreSQL, without torch), embedding (the model, for loading
# and serving), explorer (the page). See docs/howto/docker.md for usage and sizes.

FROM debian:forky-slim AS python
ENV LANG=C.UTF-8
ARG DEBIAN_FRONTEND=noninteractive
COPY image/purge /opt/purge
# Users of all images. PostgreSQL authenticates connections over the socket by user id, so the ids are the same in all images.
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid 999 --home-dir /var/lib/stcollection --shell /bin/sh postgres \
 && for user in 10001:loader 10002:explorer 10003:embedding; do \
      useradd --uid "${user%%:*}" --user-group --no-create-home --home-dir /tmp --shell /usr/sbin/nologin "${user##*:}" || exit 1; \
    done
RUN apt-get update && apt-get install --yes --no-install-recommends python3 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*

# Tools for creating virtual environments are not part of the images.
FROM python AS pip
ARG DEBIAN_FRONTEND=noninteractive
RUN apt-get update && apt-get install --yes --no-install-recommends python3-venv && rm -rf /var/lib/apt/lists/* \
 && python3 -m venv /opt/pip
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore

# Requirements of each image. Later stages copy only these lists, so other changes of pyproject.toml do not reinstall packages.
FROM python AS lists
WORKDIR /lists
COPY pyproject.toml constraints.txt image/requirements.py ./
RUN for target in database embedding explorer; do python3 requirements.py "$target" > "$target.txt" || exit 1; done \
 && python3 requirements.py --constraints > pinned.txt

FROM pip AS wheel
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY stcollection stcollection
COPY sql sql
COPY migrations migrations
RUN /opt/pip/bin/pip wheel --quiet --no-deps --wheel-dir /opt/wheel .

# ---- database

FROM pip AS packages-database
COPY --from=lists /lists/pinned.txt /lists/database.txt /opt/
RUN python3 -m venv --without-pip /opt/stc \
 && /opt/pip/bin/pip --python /opt/stc/bin/python install --quiet --no-compile -c /opt/pinned.txt -r /opt/database.txt \
 && find /opt/stc -type d -regex '.*/numpy/.*tests' -prune -exec rm -rf {} +
COPY --from=wheel /opt/wheel /opt/wheel
COPY image/warm.py /opt/image/
RUN /opt/pip/bin/pip --python /opt/stc/bin/python install --quiet --no-compile --no-deps /opt/wheel/*.whl \
 && /opt/stc/bin/python /opt/image/warm.py

FROM python AS database
ARG DEBIAN_FRONTEND=noninteractive
# Install postgresql-common first and configure it to create no cluster. The purged packages are Debian's cluster tools (perl) and
# translated messages; we call the programs in /usr/lib/postgresql directly.
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-common \
 && sed -i 's/^#\?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf \
 && apt-get install --yes --no-install-recommends \
      postgresql-18 postgresql-18-http postgresql-18-pg-textsearch postgresql-18-pgvector \
 && /opt/purge perl 'perl-modules-*' 'libperl*' libjson-perl 'libtext-*-perl' locales libc-l10n postgresql-common \
      postgresql-client-common ssl-cert systemd libsystemd-shared procps ucf \
 && rm -rf /var/lib/postgresql /usr/share/postgresql/18/man /usr/lib/postgresql/18/lib/bitcode \
 && install -d -o postgres -g postgres -m 0700 /var/lib/stcollection \
 && install -d -o postgres -g postgres -m 0711 /run/stcollection
COPY --from=packages-database /opt/stc /opt/stc
COPY image/database image/logins.py image/pg_hba.conf /opt/image/
COPY image/connect image/database-healthy /usr/local/bin/
COPY image/psqlrc /etc/postgresql-common/psqlrc
ENV PATH=/usr/lib/postgresql/18/bin:/opt/stc/bin:/usr/local/bin:/usr/bin:/bin STC_DSN="host=/run/stcollection user=postgres dbname=demo"
USER 999:999
WORKDIR /var/lib/stcollection
VOLUME /var/lib/stcollection
EXPOSE 5432
STOPSIGNAL SIGINT
HEALTHCHECK --interval=2s --timeout=5s --start-period=10m --retries=3 CMD ["database-healthy"]
ENTRYPOINT ["/bin/sh", "/opt/image/database"]

# ---- embedding

FROM python AS torch
ARG DEBIAN_FRONTEND=noninteractive
# The purged packages are for tests, AMD GPUs and OpenMPI's hardware detection. Importing torch checks that it still works, with a
# fast BLAS.
RUN apt-get update && apt-get install --yes --no-install-recommends python3-torch libopenblas0-pthread \
 && /opt/purge libtorch-test 'libllvm*' 'libclang-common-*' 'libamd-comgr*' 'libamdhip*' 'libhsa-runtime*' 'libdrm*' libhwloc-plugins \
      'libx11-*' libxnvctrl0 'ocl-icd-*' python3-hypothesis python3-sortedcontainers python3-pip-whl python3-setuptools-whl systemd \
      libsystemd-shared \
 && find /usr/lib/python3/dist-packages/torch/bin -type f ! -name torch_shm_manager -delete \
 && find /usr/lib/python3/dist-packages -type d -name tests -prune -exec rm -rf {} + \
 && find /usr/lib/python3/dist-packages -name "*.cpython-3*.so" ! -name "*.$(python3 -c 'import sys; print(sys.implementation.cache_tag)')-*" -delete \
 && python3 -c 'import torch; print(torch.__version__, float((torch.ones(64, 64) @ torch.ones(64, 64)).sum()))'

FROM torch AS packages-embedding
COPY --from=pip /opt/pip /opt/pip
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
COPY --from=lists /lists/pinned.txt /lists/embedding.txt /opt/
RUN python3 -m venv --without-pip --system-site-packages /opt/stc \
 && /opt/pip/bin/pip --python /opt/stc/bin/python install --quiet --no-compile -c /opt/pinned.txt -r /opt/embedding.txt \
 && find /opt/stc -type d -regex '.*/\(scipy\|sklearn\)/.*tests' -prune -exec rm -rf {} +
COPY --from=wheel /opt/wheel /opt/wheel
COPY image/warm.py /opt/image/
RUN /opt/pip/bin/pip --python /opt/stc/bin/python install --quiet --no-compile --no-deps /opt/wheel/*.whl \
 && /opt/stc/bin/python /opt/image/warm.py --model

FROM torch AS embedding
COPY --from=packages-embedding /opt/stc /opt/stc
COPY image/answers.py image/load /opt/image/
ENV PATH=/opt/stc/bin:/usr/local/bin:/usr/bin:/bin STC_DSN="host=/run/stcollection dbname=demo" HF_HUB_OFFLINE=1
USER 10003:10003
WORKDIR /tmp
EXPOSE 8765
HEALTHCHECK --interval=2s --timeout=5s --start-period=10m --retries=15 \
    CMD ["python3", "/opt/image/answers.py", "http://127.0.0.1:8765/health"]
ENTRYPOINT ["stc"]
CMD ["serve", "--host", "0.0.0.0", "--allow-host", "embedding", "--no-register"]

# ---- explorer

FROM packages-embedding AS packages-explorer
# An environment on top of the embedding image's, with only the additional packages of the page.
COPY --from=lists /lists/explorer.txt /opt/
RUN python3 -m venv --without-pip --system-site-packages /opt/explore \
 && ls -d /opt/stc/lib/python3*/site-packages > "$(ls -d /opt/explore/lib/python3*/site-packages)/stc.pth" \
 && /opt/pip/bin/pip --python /opt/explore/bin/python install --quiet --no-compile -c /opt/pinned.txt -r /opt/explorer.txt \
 && find /opt/explore -type d -regex '.*/\(pandas\|matplotlib\|mlxtend\)/.*tests' -prune -exec rm -rf {} + \
 && /opt/explore/bin/python /opt/image/warm.py

FROM embedding AS explorer
COPY --from=packages-explorer /opt/explore /opt/explore
COPY image/explore /opt/image/
USER 10002:10002
EXPOSE 8766
HEALTHCHECK --interval=2s --timeout=5s --start-period=10m --retries=15 CMD ["python3", "/opt/image/answers.py"]
ENTRYPOINT ["/bin/sh", "/opt/image/explore"]
CMD []
