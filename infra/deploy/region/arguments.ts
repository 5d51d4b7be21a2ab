import { resolve } from 'node:path'
import { regionCode, type Region } from '@probe-mesh/contracts/reading/regions'
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
import { withSecretFiles } from '@probe-mesh/runtime/secret-files'

const addresses = list('HOST:PORT', (parts) => {
  const invalid = parts.filter((part) => !/^[A-Za-z0-9.-]+:\d{1,5}$/.test(part))
  return invalid.length > 0 ? wrong(`must be HOST:PORT, not ${invalid.join(', ')}`) : right(parts)
})

const commands = defineCommandLine({
  call: 'npm run -s region --',
  about:
    'Starts a region: writes the credentials of its leaf node and agents, and creates their machines with Terraform.',
  commands: {
    up: {
      summary: 'start a region, or apply changes',
      options: {
        region: required(regionCode, 'a region of nats-config'),
        hub: required(addresses, 'addresses of the mesh for leaf nodes (nats-config --leaf-listen)'),
        'tls-ca': required(path, "the authority of those servers' certificates, in PEM"),
        agents: withDefault(wholeNumber({ min: 1, max: 32 }), 2, 'number of agents, one per machine'),
        keys: optional(path, 'NATS_KEYS, else nats', 'folder that "npm run nats-config" wrote'),
      },
    },
  },
  notes: `Agents measure checks with secrets if SECRETS_KEY or SECRETS_KEY_FILE is that of the control planes: the key of
the region follows from it, and stays in DIR/agents for later runs. So does METRICS_TOKEN or METRICS_TOKEN_FILE, with
which Prometheus reads the agents (metrics_security_group_ids of the module). Arguments after -- go to terraform apply. A second run applies changes: credentials are written once
and stay in DIR/agents. Terraform gets them in its environment and does not store them in its state. What else
the machines need (vpc_id, subnet_ids, machine_image, agent_image, nats_image) is a variable of the module
infra/deploy/terraform/probe-region, such as
  npm run -s region -- up --region fra --hub nats.example.com:7422 --tls-ca ca.pem -- -var-file=$PWD/fra.tfvars`,
})

export type RegionArguments = {
  region: Region
  hub: string[]
  authority: string
  agents: number
  keys: string
  /** The SECRETS_KEY of the control planes; null: unknown here. */
  secretsKey: string | null
  /** The METRICS_TOKEN of the agents; null: unknown here. */
  metricsToken: string | null
  /** Further arguments of `terraform apply`. */
  rest: string[]
}

export type ParsedRegion =
  | { kind: 'help'; text: string }
  | { kind: 'wrong'; problems: string[] }
  | { kind: 'up'; arguments: RegionArguments }

/** Parses the command line and lists all problems. */
export const parseRegionArguments = (argv: readonly string[], environment: Environment): ParsedRegion => {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  const parsed = parseArgv(commands, argv.slice(0, end))
  if (parsed.kind !== 'run') return parsed
  const { region, hub, agents, keys, 'tls-ca': authority } = parsed.given
  const secrets = withSecretFiles(environment, ['SECRETS_KEY', 'METRICS_TOKEN'])
  if (secrets.problems.length > 0) return { kind: 'wrong', problems: secrets.problems }
  const secret = (name: string): string | null => {
    const text = secrets.environment[name]?.trim() ?? ''
    return text === '' ? null : text
  }
  return {
    kind: 'up',
    arguments: {
      region,
      hub,
      authority: resolve(authority),
      agents,
      keys: resolve(keys ?? environment['NATS_KEYS'] ?? 'nats'),
      secretsKey: secret('SECRETS_KEY'),
      metricsToken: secret('METRICS_TOKEN'),
      rest: argv.slice(end + 1),
    },
  }
}
