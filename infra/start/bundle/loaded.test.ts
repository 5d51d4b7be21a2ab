import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testFolder } from '../../testing/folder.ts'
import { programs } from '../launch/programs.mjs'
import { buildBundle } from './build.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const wordsOf = (text: string): string[] => text.trim().split(/\s+/)

/** The packages and the folders of ours that a program loads before its first line. */
const loadedBy = async (name: string): Promise<{ packages: string[]; folders: string[] }> => {
  const program = programs.find((one) => one.name === name)
  if (program === undefined) throw new Error(`there is no ${name}`)
  const modules = await buildBundle({ root, program, out: join(testFolder('probe-mesh-loaded-'), name) })
  const packages = modules.flatMap((module) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module)?.[1] ?? [])
  const own = modules.filter((module) => !module.includes('node_modules/') && /\.(ts|json)$/.test(module))
  const folders = own.map((module) => module.split('/').slice(0, -1).join('/'))
  return { packages: [...new Set(packages)].toSorted(), folders: [...new Set(folders)].toSorted() }
}

/** Probes of other types than http, the browser and what writes to disks of others come later. */
const agentPackages = `
  @leichtgewicht/ip-codec @nats-io/jetstream @nats-io/jwt @nats-io/kv @nats-io/nats-core @nats-io/nkeys
  @nats-io/nuid @nats-io/transport-node @opentelemetry/api @pinojs/redact atomic-sleep bintrees dns-packet
  on-exit-leak-free pino pino-std-serializers prom-client quick-format-unescaped safe-stable-stringify
  sonic-boom tdigest thread-stream tldts tough-cookie tweetnacl zod`
const agentFolders = `
  bus/src bus/src/log bus/src/nats bus/src/relay check-types check-types/browser check-types/browser/probe
  check-types/browser/reading check-types/dns check-types/dns/probe check-types/dns/reading
  check-types/grpc check-types/grpc/reading check-types/reading check-types/smtp check-types/smtp/reading
  check-types/tcp check-types/tcp/reading contracts/src/account contracts/src/agent contracts/src/check
  contracts/src/mesh contracts/src/reading contracts/src/schema contracts/src/secret contracts/src/target
  control-plane/src/app infra/start/embedded infra/start/processes probe-agent probe-agent/src
  probe-agent/src/assignments probe-agent/src/clock probe-agent/src/dns probe-agent/src/dns-evidence probe-agent/src/evidence
  probe-agent/src/http1 probe-agent/src/judge probe-agent/src/ownership probe-agent/src/probes
  probe-agent/src/probes/journey probe-agent/src/publish probe-agent/src/publish/spool
  probe-agent/src/request probe-agent/src/run probe-agent/src/schedule probe-agent/src/secrets runtime/src`
const gatewayPackages = `
  @fastify/ajv-compiler @fastify/deepmerge @fastify/error @fastify/fast-json-stringify-compiler
  @fastify/forwarded @fastify/merge-json-schemas @fastify/proxy-addr @modelcontextprotocol/core
  @modelcontextprotocol/fastify @modelcontextprotocol/server @opentelemetry/api @pinojs/redact
  abstract-logging ajv ajv-formats atomic-sleep avvio bintrees cookie dequal fast-decode-uri-component
  fast-deep-equal fast-json-stringify fast-querystring fast-uri fastify fastq find-my-way ipaddr.js
  json-schema-ref-resolver json-schema-traverse light-my-request on-exit-leak-free pino
  pino-std-serializers process-warning prom-client quick-format-unescaped ret reusify rfdc safe-regex2
  safe-stable-stringify secure-json-parse semver set-cookie-parser sonic-boom tdigest thread-stream
  toad-cache undici zod`

test('before its first check an agent loads these packages and folders, and no more', async () => {
  const { packages, folders } = await loadedBy('agent')
  expect(packages).toEqual(wordsOf(agentPackages))
  expect(folders).toEqual(wordsOf(agentFolders))
})

test('before it is ready a gateway loads these packages, and no more', async () => {
  expect((await loadedBy('mcp-gateway')).packages).toEqual(wordsOf(gatewayPackages))
})

test('a control plane loads mail, badges, protobuf, pictures and passwords at first use', async () => {
  const late = wordsOf(
    'nodemailer badge-maker anafanafo @opentelemetry/otlp-transformer sharp @zxcvbn-ts/core',
  )
  const { packages } = await loadedBy('control-plane')
  expect(packages).toContain('fastify')
  expect(packages.filter((name) => late.includes(name))).toEqual([])
})
