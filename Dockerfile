# docker build -t dragoman . && docker run -p 8787:8787 -e DRAGOMAN_CALLER_KEYS=… -e DRAGOMAN_DIALECT=… dragoman
# Not alpine: npm brings a Node that is built for glibc.
# For several platforms the bundle is built once, on the machine that builds: it is the same on all of them.
FROM --platform=$BUILDPLATFORM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY scripts/build-tools.mjs scripts/
# A tenth of what the tests need.
RUN node scripts/build-tools.mjs && npm ci --no-audit --no-fund
COPY . .
# What `--version` names: the repository is not copied. Empty for a release.
ARG BUILT_FROM=unknown
RUN npm run build

FROM node:24-slim
# The command and what it loads when it is needed; its package.json says that they are modules.
COPY --from=build /build/package.json /build/dist/dragoman.js /app/
COPY --from=build /build/dist/command /app/command/
COPY --from=build /build/LICENSE /build/dist/THIRD-PARTY.txt /app/
# Where a mounted dragoman.json is found, and where `sqlite:state.db` would be.
WORKDIR /data
RUN chown 1000:1000 /data
# `node` by its number: a cluster that demands a user other than root cannot look a name up.
USER 1000:1000
# Others than the container itself reach this address: the proxy starts only when it knows its callers.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dragoman.js"]
