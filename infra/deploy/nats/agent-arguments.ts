import { resolve } from 'node:path'
import { regionCode, type Region } from '@probe-mesh/contracts/reading/regions'
import { defineCommandLine, flag, parseArgv } from '@probe-mesh/runtime/argv'
import type { Environment } from '@probe-mesh/runtime/env'
import {
  matching,
  optional,
  path,
  required,
  text,
  wholeNumber,
  withDefault,
} from '@probe-mesh/runtime/setting'

const agentName = matching(
  'name',
  /^[a-z0-9][a-z0-9-]{0,62}$/,
  'is invalid: use lower-case letters, digits and -',
)
const days = withDefault(
  wholeNumber({ min: 1, max: 3_650, unit: 'days' }),
  365,
  'days for which the credentials are valid',
)
const region = required(regionCode, 'the region: three lower-case letters')
const common = {
  keys: optional(path, 'NATS_KEYS, else nats', 'folder that "npm run nats-config" wrote'),
  json: flag('print the result as JSON'),
}

const commands = defineCommandLine({
  call: 'npm run -s admin -- agent',
  about: 'Manage the credentials of agents.',
  commands: {
    enroll: {
      summary: 'write credentials for a new agent',
      options: {
        region,
        name: optional(agentName, '<region>-1, <region>-2, ...', 'a unique name'),
        out: optional(path, 'agent-<name>.creds', "file for the credentials: the agent's AGENT_CREDENTIALS"),
        days,
        ...common,
      },
    },
    rotate: {
      summary: 'write new credentials for an agent',
      arguments: { name: required(agentName, 'the agent') },
      options: { region, out: required(path, 'file that is overwritten'), days, ...common },
    },
    list: { summary: 'list agents', options: common },
    revoke: {
      summary: 'revoke credentials, at once',
      arguments: { who: required(text, "an agent's name, or a key") },
      options: common,
    },
    tell: {
      summary: 'send accounts and revocations to the servers',
      options: {
        leaf: optional(
          regionCode,
          'servers of the mesh',
          'set if the servers of NATS_URL are the leaf nodes of this region',
        ),
        ...common,
      },
    },
  },
  notes: `Credentials are valid for one region. An agent reads its file again on each connection. rotate overwrites
the file; the old credentials stay valid until they are revoked. revoke and tell connect to the servers of
NATS_URL; enroll and rotate need no server.`,
})

export type AgentAct =
  | { act: 'enroll'; region: Region; name: string | null; out: string | null; days: number }
  | { act: 'rotate'; region: Region; name: string; out: string; days: number }
  | { act: 'list' }
  | { act: 'revoke'; who: string }
  | { act: 'tell'; leaf: Region | null }
  | { act: 'help'; text: string }

export type ParsedAgentAct =
  | { ok: true; act: AgentAct; keys: string; json: boolean }
  | { ok: false; problems: string[] }

/** Parses the arguments after `admin agent`, and reports all problems at once. */
export const parseAgentAct = (argv: readonly string[], environment: Environment): ParsedAgentAct => {
  const parsed = parseArgv(commands, argv)
  if (parsed.kind === 'wrong') return { ok: false, problems: parsed.problems }
  if (parsed.kind === 'help') {
    return { ok: true, act: { act: 'help', text: parsed.text }, keys: '', json: false }
  }
  const { keys, json, ...given } = parsed.given
  return {
    ok: true,
    act: { act: parsed.command, ...given } as AgentAct,
    keys: resolve(keys ?? environment['NATS_KEYS'] ?? 'nats'),
    json,
  }
}
