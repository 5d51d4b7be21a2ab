import { listMembers } from '@probe-mesh/runtime/headers'
import { BusUnavailable } from '@probe-mesh/bus/port'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { parseAgentAct, type AgentAct } from './agent-arguments.ts'
import { enroll } from './enroll.ts'
import { hasLeaf } from './leaf.ts'
import { isValid, readRegister, type Enrolment } from './register.ts'
import { revoke, updateServers } from './revoke.ts'
import type { Output } from './run.ts'

/** Runs `admin agent`. @returns the exit code: 0 for success, 1 with the reason on stderr */
export const runAgentAct = async (
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  output: Output,
  now: () => number = Date.now,
): Promise<0 | 1> => {
  const parsed = parseAgentAct(argv, environment)
  if (!parsed.ok) {
    for (const problem of parsed.problems) output.error(`admin: ${problem}\n`)
    return 1
  }
  const { act, keys, json } = parsed
  const servers = listMembers(environment['NATS_URL'])
  try {
    const done = await perform(act, keys, servers, now())
    output.out(json ? `${JSON.stringify(done.data, null, 2)}\n` : done.text)
    output.error(json ? '' : done.note)
    return 0
  } catch (error) {
    output.error(`admin: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

/** Output as JSON, as text, and a note for stderr. */
type Done = { data: unknown; text: string; note: string }

const perform = async (
  act: AgentAct,
  keys: string,
  servers: readonly string[],
  nowMs: number,
): Promise<Done> => {
  switch (act.act) {
    case 'help':
      return { data: null, text: act.text, note: '' }
    case 'enroll': {
      const name = act.name ?? (await nextName(keys, act.region))
      const out = act.out ?? `agent-${name}.creds`
      return enrolled(await enroll(keys, { ...act, name, out, isRotation: false }, nowMs), out)
    }
    case 'rotate': {
      const enrolment = await enroll(keys, { ...act, isRotation: true }, nowMs)
      return {
        ...enrolled(enrolment, act.out),
        note: 'The old credentials stay valid until you revoke their key, which "agent list" shows.\n',
      }
    }
    case 'list': {
      const { agents } = await readRegister(keys)
      return { data: { agents }, text: table(agents, nowMs), note: '' }
    }
    case 'revoke': {
      const ended = await revoke(keys, act.who, nowMs)
      await sendAccounts(keys, servers, null)
      return {
        data: { revoked: ended.map(({ key, name }) => ({ key, name })) },
        text: ended.map(({ name, key }) => `${name} (${key}) is revoked\n`).join(''),
        note: await leafNote(keys, ended),
      }
    }
    case 'tell':
      await sendAccounts(keys, servers, act.leaf)
      return {
        data: { told: servers },
        text: 'the servers have the current accounts\n',
        note: '',
      }
  }
}

const enrolled = (enrolment: Enrolment, out: string): Done => ({
  data: { ...enrolment, credentials: out },
  text: `${enrolment.name}  ${enrolment.region}  valid until ${enrolment.expiresAt ?? 'revoked'}  ${out}\n`,
  note: `The agent needs only this file: REGION=${enrolment.region} AGENT_CREDENTIALS=${out}\n`,
})

/** A leaf node has its own copy of the accounts, which the mesh's servers do not update. */
const leafNote = async (keys: string, ended: readonly Enrolment[]): Promise<string> => {
  const regions = [...new Set(ended.map(({ region }) => region))]
  const notes = await Promise.all(
    regions.map(async (region) =>
      (await hasLeaf(keys, region))
        ? `Update the leaf node of ${region} too: NATS_URL=<the leaf> npm run -s admin -- agent tell --leaf ${region}\n`
        : '',
    ),
  )
  return notes.join('')
}

/** @throws Error with what is already done, and what to do next */
const sendAccounts = async (keys: string, servers: readonly string[], leaf: Region | null): Promise<void> => {
  const next = 'run "agent tell" with NATS_URL set to the servers, or restart them'
  if (servers.length === 0) {
    throw new Error(`the files are changed, but no server was updated: NATS_URL is not set; ${next}`)
  }
  try {
    await updateServers(keys, servers, leaf)
  } catch (error) {
    if (!(error instanceof BusUnavailable)) throw error
    throw new Error(`the files are changed, but no server was updated: ${error.message}; ${next}`, {
      cause: error,
    })
  }
}

const nextName = async (keys: string, region: string): Promise<string> => {
  const { agents } = await readRegister(keys)
  const names = new Set(agents.map(({ name }) => name))
  let number = 1
  while (names.has(`${region}-${number}`)) number++
  return `${region}-${number}`
}

const table = (agents: readonly Enrolment[], nowMs: number): string =>
  agents
    .map((agent) =>
      [
        agent.name.padEnd(16),
        agent.region,
        stateOf(agent, nowMs).padEnd(8),
        (agent.revokedAt ?? agent.expiresAt ?? '-').slice(0, 10),
        agent.key,
      ].join('  '),
    )
    .map((row) => `${row}\n`)
    .join('')

const stateOf = (agent: Enrolment, nowMs: number): string =>
  agent.revokedAt !== null ? 'revoked' : isValid(agent, nowMs) ? 'valid' : 'expired'
