import { createHash } from 'node:crypto'
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { regionKeyOf } from '@probe-mesh/control-plane/secrets/region-key'
import { enroll } from '../nats/enroll.ts'
import { generateLeaf } from '../nats/leaf.ts'
import { readRegister, revocationsOf } from '../nats/register.ts'
import type { RegionArguments } from './arguments.ts'

const credentialDays = 365
const ownerFolder = 0o700

/** Runs Terraform on the module of a region. @returns its exit code */
export type RunTerraform = (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
) => Promise<number>

/**
 * Enrols the leaf node and the agents of a region if needed, and creates their machines with Terraform in a
 * workspace of the region. Credentials are only in Terraform's environment.
 * @returns Terraform's exit code
 * @throws RangeError for an unknown region, Error for an unreadable file
 */
export const bringUp = async (
  wanted: RegionArguments,
  { terraform, nowMs }: { terraform: RunTerraform; nowMs: number },
): Promise<number> => {
  const { region, keys } = wanted
  const authority = await readFile(wanted.authority, 'utf8')
  const leaf = await generateLeaf(
    {
      outDir: keys,
      region,
      hub: wanted.hub,
      // their paths on the machine: start.sh.tftpl of the module
      listen: '127.0.0.1:4222',
      storeDir: '/data',
      tls: null,
      hubAuthority: '/etc/nats/ca.pem',
      credentials: '/etc/nats/leaf.creds',
    },
    nowMs,
  )
  const ofLeaf = (name: string) => readFile(join(leaf.folder, name), 'utf8')
  const shared = {
    leaf_creds: await ofLeaf('leaf.creds'),
    nats_conf: await ofLeaf('nats-server.conf'),
    accounts_conf: await ofLeaf('accounts.conf'),
    ca_pem: authority,
    region_key: await keepSecret(
      keys,
      `region-key-${region}`,
      wanted.secretsKey === null ? null : regionKeyOf(wanted.secretsKey, region),
    ),
    metrics_token: await keepSecret(keys, `metrics-token-${region}`, wanted.metricsToken),
  }
  const names = Array.from({ length: wanted.agents }, (_, n) => `${region}-${n + 1}`)
  const agentFiles: string[] = []
  // sequentially, because each adds to the register
  for (const name of names) agentFiles.push(await keepAgent(keys, region, name, nowMs))
  const credentials = Object.fromEntries(
    names.map((name, index) => [name, { agent_creds: agentFiles[index], ...shared }]),
  )
  const { agents } = await readRegister(keys)
  const revoked = [...revocationsOf(agents, region).keys()]
  const environment = {
    TF_WORKSPACE: region,
    TF_VAR_region: region,
    TF_VAR_agents: JSON.stringify(names),
    TF_VAR_credentials: JSON.stringify(credentials),
    TF_VAR_credentials_version: String(
      versionOf([
        wanted.hub,
        authority,
        shared.leaf_creds,
        shared.region_key,
        shared.metrics_token,
        agentFiles,
        revoked,
      ]),
    ),
  }
  const started = await terraform(['init', '-input=false'], {})
  if (started !== 0) return started
  const select = ['workspace', 'select', '-or-create=true', region]
  const selected = await terraform(select, {})
  if (selected !== 0) return selected
  return terraform(['apply', ...wanted.rest], environment)
}

/**
 * A secret of the region: the given one, or that of an earlier run, so that a run without it keeps it.
 * @returns empty without either
 */
const keepSecret = async (keys: string, name: string, given: string | null): Promise<string> => {
  const folder = join(keys, 'agents')
  const path = join(folder, name)
  if (given === null) return (await readFile(path, 'utf8').catch(() => '')).trim()
  await mkdir(folder, { recursive: true, mode: ownerFolder })
  await writeFile(path, `${given}\n`, { mode: 0o600 })
  return given
}

const keepAgent = async (keys: string, region: string, name: string, nowMs: number): Promise<string> => {
  const folder = join(keys, 'agents')
  await mkdir(folder, { recursive: true, mode: ownerFolder })
  const out = join(folder, `${name}.creds`)
  const isThere = await access(out).then(
    () => true,
    () => false,
  )
  if (!isThere) {
    await enroll(keys, { region, name, days: credentialDays, out, isRotation: false }, nowMs)
  }
  return readFile(out, 'utf8')
}

/**
 * A version that changes with the content of the credentials. Terraform stores nothing to compare them with,
 * and new signatures always differ.
 */
const versionOf = (content: unknown): number =>
  createHash('sha256').update(JSON.stringify(content)).digest().readUInt32BE() >>> 1
