# syntax=docker/dockerfile:1
# One build, four images: control-plane, mcp-gateway, agent, agent-browser. Each contains the sources of its
# program (Node runs TypeScript directly) and the packages of production, and runs as a user who owns none of
# its files, so that its root can be read-only.
#
#   docker build --file infra/deploy/docker/probe-mesh.Dockerfile --target agent --tag probe-mesh/agent:1.0.0-rc.1 .

FROM node:24.21.0-bookworm-slim AS base
ENV NODE_ENV=production
WORKDIR /app

# The manifests of the workspaces, so that this layer is rebuilt only when packages change.
FROM base AS manifests
COPY package.json package-lock.json ./
COPY runtime/package.json runtime/
COPY contracts/package.json contracts/
COPY check-types/package.json check-types/
COPY error-tracking/package.json error-tracking/
COPY bus/package.json bus/
COPY control-plane/package.json control-plane/
COPY probe-agent/package.json probe-agent/
COPY mcp-gateway/package.json mcp-gateway/
COPY web/package.json web/
COPY cli/package.json cli/
COPY terraform/package.json terraform/
COPY infra/package.json infra/
COPY acceptance/package.json acceptance/
COPY bench/package.json bench/

FROM manifests AS control-plane-packages
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
    --workspace runtime --workspace contracts --workspace check-types --workspace error-tracking --workspace bus --workspace control-plane --workspace web

# The two images below contain only the log of the control plane, and so none of its packages.
FROM manifests AS mcp-gateway-packages
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
    --workspace runtime --workspace contracts --workspace check-types --workspace error-tracking --workspace mcp-gateway \
    && ln -s ../../control-plane node_modules/@probe-mesh/control-plane

FROM manifests AS agent-packages
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
    --workspace runtime --workspace contracts --workspace check-types --workspace error-tracking --workspace bus --workspace probe-agent \
    && ln -s ../../control-plane node_modules/@probe-mesh/control-plane

FROM base AS runtime
# no package manager or shell for intruders
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* \
    && groupadd --gid 10001 mesh \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin mesh
COPY infra/deploy/docker/healthcheck.mjs infra/deploy/docker/
# the limits of memory that every start of ours has
ENV NODE_OPTIONS="--disable-warning=ExperimentalWarning --max-semi-space-size=8" MALLOC_ARENA_MAX=2
USER 10001:10001
STOPSIGNAL SIGTERM

FROM runtime AS control-plane
COPY --from=control-plane-packages /app ./
COPY runtime runtime
COPY contracts contracts
COPY check-types check-types
COPY error-tracking error-tracking
COPY bus bus
COPY control-plane control-plane
COPY web web
COPY docs docs
COPY terraform/docs terraform/docs
COPY terraform/README.md terraform/
COPY infra/package.json infra/package.json
COPY infra/start/processes infra/start/processes
COPY infra/start/embedded infra/start/embedded
COPY infra/start/stores infra/start/stores
COPY infra/operate/output.ts infra/operate/output.ts
COPY infra/operate/admin infra/operate/admin
COPY infra/operate/backup infra/operate/backup
COPY infra/operate/doctor infra/operate/doctor
COPY infra/operate/identity infra/operate/identity
COPY infra/deploy/nats infra/deploy/nats
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s CMD ["node", "/app/infra/deploy/docker/healthcheck.mjs"]
ENTRYPOINT ["node", "/app/infra/start/processes/control-plane.ts"]

FROM runtime AS mcp-gateway
COPY --from=mcp-gateway-packages /app ./
COPY runtime runtime
COPY contracts contracts
COPY check-types check-types
COPY error-tracking/package.json error-tracking/package.json
COPY error-tracking/contracts error-tracking/contracts
COPY mcp-gateway mcp-gateway
COPY control-plane/src/app/log.ts control-plane/src/app/log.ts
COPY control-plane/src/app/log-repeats.ts control-plane/src/app/log-repeats.ts
COPY infra/package.json infra/package.json
COPY infra/start/processes infra/start/processes
EXPOSE 8081
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "/app/infra/deploy/docker/healthcheck.mjs"]
ENTRYPOINT ["node", "/app/infra/start/processes/mcp-gateway.ts"]

FROM runtime AS agent
COPY --from=agent-packages /app ./
COPY runtime runtime
COPY contracts contracts
COPY check-types check-types
COPY error-tracking/package.json error-tracking/package.json
COPY error-tracking/contracts error-tracking/contracts
COPY bus bus
COPY probe-agent probe-agent
COPY control-plane/src/app/log.ts control-plane/src/app/log.ts
COPY control-plane/src/app/log-repeats.ts control-plane/src/app/log-repeats.ts
COPY infra/package.json infra/package.json
COPY infra/start/processes infra/start/processes
COPY infra/start/embedded infra/start/embedded
ENV DATA_DIR=/var/lib/probe-mesh CHROMIUM=off
VOLUME /var/lib/probe-mesh
EXPOSE 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "/app/infra/deploy/docker/healthcheck.mjs"]
ENTRYPOINT ["node", "/app/infra/start/processes/agent.ts"]

# The only image with a browser: agents without one leave browser checks to it.
FROM agent AS agent-browser
USER root
RUN apt-get update \
    && apt-get install --yes --no-install-recommends chromium fonts-liberation \
    && rm -rf /var/lib/apt/lists/*
USER 10001:10001
ENV CHROMIUM=/usr/bin/chromium
