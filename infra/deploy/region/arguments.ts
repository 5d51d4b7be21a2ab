import { resolve } from 'node:path'
import { regionCode } from '@probe-mesh/contracts/reading/regions'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { defineCommandLine, parseArgv } from '@probe-mesh/runtime/argv'
import type { Environment } from '@probe-mesh/runtime/env'
import {
  list,
  optional,
  path,
  required,
  right,
  wholeNumber,
  withDefault,
  wrong,
} from '@probe-mesh/runtime/setting'

const addresses = list('HOST:PORT', (parts) => {
  const unsound = parts.filter((part) => !/^[A-Za-z0-9.-]+:\d{1,5}$/.test(part))
  return unsound.length > 0 ? wrong(`must be HOST:PORT, not ${unsound.join(', ')}`) : right(parts)
})

const commands = defineCommandLine({
  call: 'npm run -s region --',
  about:
    'Starts a region: writes the credentials of its leaf node and its agents, and has Terraform create their machines.',
  commands: {
    up: {
      summary: 'start a region, or apply what is different',
      options: {
        region: required(regionCode, 'one of those that nats-config was run with'),
        hub: required(
          addresses,
          'where the servers of the mesh listen for leaf nodes (nats-config --leaf-listen)',
        ),
        'tls-ca': required(path, "the authority of those servers' certificates, in PEM"),
        agents: withDefault(wholeNumber({ min: 1, max: 32 }), 2, 'number of agents, a machine each'),
        keys: optional(path, 'NATS_KEYS, else nats', 'folder that "npm run nats-config" wrote'),
      },
    },
  },
  notes: `What follows -- is given to terraform apply. Run again it changes what is different: credentials are
written once, and stay in DIR/agents. Terraform receives them in its environment, and stores them in no state. What
else the machines need (vpc_id, subnet_ids, machine_image, agent_image, nats_image) is a variable of the module
infra/deploy/terraform/probe-region, such as
  npm run -s region -- up --region fra --hub nats.example.com:7422 --tls-ca ca.pem -- -var-file=$PWD/fra.tfvars`,
})

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
  | { kind: 'help'; text: string }
  | { kind: 'wrong'; problems: string[] }
  | { kind: 'up'; arguments: RegionArguments }

/** Reads the command line. All problems are listed at once. Pure. */
export const parseRegionArguments = (argv: readonly string[], environment: Environment): ParsedRegion => {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  const parsed = parseArgv(commands, argv.slice(0, end))
  if (parsed.kind !== 'run') return parsed
  const { region, hub, agents, keys, 'tls-ca': authority } = parsed.given
  return {
    kind: 'up',
    arguments: {
      region,
      hub,
      authority: resolve(authority),
      agents,
      keys: resolve(keys ?? environment['NATS_KEYS'] ?? 'nats'),
      rest: argv.slice(end + 1),
    },
  }
}
