import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Region } from '@probe-mesh/contracts/reading/regions'
import { partsOf } from '@probe-mesh/runtime/parts-of'

export const usage = `Brings a region up: lets its leaf node and its agents in, and has Terraform make their machines.

  npm run -s region -- up --region fra --hub HOST:PORT,... --tls-ca FILE [flags] [-- flags of terraform apply]

  --region     three lower-case letters, one of those that nats-config was run with
  --hub        where the servers of the mesh listen for leaf nodes (nats-config --leaf-listen)
  --tls-ca     the authority of those servers' certificates, in PEM
  --agents     how many agents it has, a machine each (2)
  --keys DIR   the folder that "npm run nats-config" wrote (NATS_KEYS, else nats)
  --help       this text

Run again it changes what is different and keeps what is there: credentials are made once, and stay in
DIR/agents. Terraform is given them in its environment, and keeps them in no state. What else the machines need
(vpc_id, subnet_ids, machine_image, agent_image, nats_image) is the module's: infra/deploy/terraform/probe-region, such as
  npm run -s region -- up --region fra --hub nats.example.com:7422 --tls-ca ca.pem -- -var-file=$PWD/fra.tfvars
`

export type RegionArguments = {
  region: Region
  hub: string[]
  authority: string
  agents: number
  keys: string
  /** What `terraform apply` is given besides. */
  rest: string[]
}

export type ParsedRegion =
  | { kind: 'help' }
  | { kind: 'wrong'; problems: string[] }
  | { kind: 'up'; arguments: RegionArguments }

const agentsMax = 32
const addressForm = /^[A-Za-z0-9.-]+:\d{1,5}$/

/** Reads the command line; of a wrong one it tells every problem at once. Pure. */
export const parseRegionArguments = (
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedRegion => {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  let parsed: ReturnType<typeof readArguments>
  try {
    parsed = readArguments(argv.slice(0, end))
  } catch (error) {
    return { kind: 'wrong', problems: [error instanceof Error ? error.message : String(error)] }
  }
  const { values, positionals } = parsed
  if (values.help === true || argv.length === 0) return { kind: 'help' }
  const problems: string[] = []
  if (positionals.join(' ') !== 'up')
    problems.push(`unknown: ${positionals.join(' ') || 'nothing'}`)
  const region = values.region ?? ''
  if (!Region.safeParse(region).success) {
    problems.push(`--region must be three lower-case letters, not "${region}"`)
  }
  const hub = partsOf(values.hub ?? '')
  if (hub.length === 0) problems.push('--hub is missing: where the mesh listens for leaf nodes')
  for (const address of hub) {
    if (!addressForm.test(address)) problems.push(`--hub must be HOST:PORT, not ${address}`)
  }
  const agents = Number(values.agents ?? 2)
  if (!Number.isInteger(agents) || agents < 1 || agents > agentsMax) {
    problems.push(`--agents must be 1 to ${agentsMax}, not ${values.agents}`)
  }
  const authority = values['tls-ca']
  if (authority === undefined) problems.push('--tls-ca is missing: the authority of the mesh')
  if (problems.length > 0 || authority === undefined) return { kind: 'wrong', problems }
  const keys = resolve(values.keys ?? environment['NATS_KEYS'] ?? 'nats')
  const rest = argv.slice(end + 1)
  return {
    kind: 'up',
    arguments: { region, hub, authority: resolve(authority), agents, keys, rest },
  }
}

const readArguments = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    strict: true,
    allowPositionals: true,
    options: {
      region: { type: 'string' },
      hub: { type: 'string' },
      'tls-ca': { type: 'string' },
      agents: { type: 'string' },
      keys: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
