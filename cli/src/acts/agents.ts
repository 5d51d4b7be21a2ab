import { writeFile } from 'node:fs/promises'
import type { CreatedAgent, PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import type { Asked } from '../api/ask.ts'
import { fail, writeJson } from '../api/failure.ts'
import type { Failure } from '../api/failure.ts'
import { openApi } from '../api/open-api.ts'
import type { Api } from '../api/open-api.ts'
import type { Act } from '../command-line/command-spec.ts'
import type { Keyed } from '../command-line/common-options.ts'
import type { ExitCode } from '../apply/exit-code.ts'
import { showName } from '../plan/show-value.ts'
import { agentTable } from '../show/agent-table.ts'
import { lookOf } from '../show/look.ts'
import type { World } from '../terminal/world.ts'
import { writeLines } from './write-lines.ts'

type AgentsOptions = Keyed & { out: string | undefined }
type AgentAct = (world: World, options: AgentsOptions, api: Api, agent: string) => Promise<ExitCode>

/** The account's private agents: listed, enrolled, given a new token, let in no more. */
export const actOnAgents: Act<AgentsOptions> = async (world, options, given) => {
  const [act = 'list', agent = ''] = given
  const known = acts[act]
  const problem = problemOf(act, agent, options)
  if (known === undefined || problem !== null) {
    return fail(world, options, [problem ?? { message: `There is no act named ${showName(act)}.` }])
  }
  const opened = await openApi(world, options)
  if (!opened.ok) return fail(world, options, opened.failures)
  return known(world, options, opened.api, agent)
}

const problemOf = (act: string, agent: string, { out }: AgentsOptions): Failure | null => {
  if (!Object.hasOwn(acts, act)) {
    return { message: `agents does not ${showName(act)}.`, hint: 'list, enroll, rotate or revoke' }
  }
  if (act === 'list' ? agent !== '' : agent === '') {
    return { message: `agents ${act} takes ${act === 'list' ? 'no agent' : 'an agent'}.` }
  }
  if (out !== undefined && act !== 'enroll' && act !== 'rotate') {
    return { message: `agents ${act} has no token to write to --out.` }
  }
  return null
}

const list: AgentAct = async (world, options, api) => {
  const listed = await readAgents(api)
  if (!listed.ok) return fail(world, options, listed.failures)
  const { out, environment } = world
  if (options.json) writeJson(out, { version: 1, agents: listed.value })
  else writeLines(out, agentTable(lookOf(out, environment), listed.value, world.now()))
  return 0
}

const enroll: AgentAct = async (world, options, api, name) => {
  const made = await api.write(`Enrolling ${showName(name)}`, (client) =>
    client.call('createAgent', { body: { name } }),
  )
  return made.ok ? tell(world, options, made.value) : fail(world, options, made.failures)
}

const rotate: AgentAct = async (world, options, api, given) => {
  const found = await findAgent(api, given)
  if (!found.ok) return fail(world, options, found.failures)
  const { id } = found.value
  const made = await api.write('Making a new token', (client) =>
    client.call('rotateAgent', { params: { id } }),
  )
  return made.ok ? tell(world, options, made.value) : fail(world, options, made.failures)
}

const revoke: AgentAct = async (world, options, api, given) => {
  const found = await findAgent(api, given)
  if (!found.ok) return fail(world, options, found.failures)
  const { id, name } = found.value
  const revoked = await api.write(`Revoking ${showName(name)}`, (client) =>
    client.call('revokeAgent', { params: { id } }),
  )
  if (!revoked.ok) return fail(world, options, revoked.failures)
  if (options.json) writeJson(world.out, { version: 1, agent: revoked.value })
  else world.out.write(`${showName(name)} (${id}) is let in no more.\n`)
  return 0
}

const acts: Readonly<Record<string, AgentAct>> = { list, enroll, rotate, revoke }

/** Says the token, which nobody is told again: where its file cannot be written, it is said all the same. */
const tell = async (
  world: World,
  options: AgentsOptions,
  { agent, token, meshUrl }: CreatedAgent,
): Promise<ExitCode> => {
  const { out: file } = options
  const unwritten = file === undefined ? null : await writeToken(file, agent, token)
  const isWritten = file !== undefined && unwritten === null
  if (options.json) {
    const shown = isWritten ? { file } : { token }
    writeJson(world.out, { version: 1, agent, meshUrl, ...shown })
  } else {
    if (!isWritten) world.out.write(`${token}\n`)
    const path = isWritten ? file : 'its-token-file'
    world.err.write(`The region of its checks: ${agent.region}\n`)
    world.err.write(
      `Start it with: MESH_URL=${meshUrl} AGENT_CREDENTIALS=${path} PRIVATE_TARGETS=10.0.0.0/8\n`,
    )
  }
  return unwritten === null ? 0 : fail(world, { json: false }, [unwritten])
}

const ownerOnly = 0o600

const writeToken = async (
  file: string,
  { name, id }: PrivateAgent,
  token: string,
): Promise<Failure | null> => {
  const text = `# The token of the private agent ${showName(name)} (${id}).\n${token}\n`
  try {
    await writeFile(file, text, { mode: ownerOnly, flag: 'wx' })
    return null
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { message: `${file} cannot be written: ${why}` }
  }
}

const readAgents = async (api: Api): Promise<Asked<PrivateAgent[]>> => {
  const listed = await api.read('Reading the agents', (client) => client.call('listAgents', {}))
  return listed.ok ? { ok: true, value: listed.value.agents } : listed
}

/** The one agent that a name or an id means; names may repeat. */
const findAgent = async (api: Api, given: string): Promise<Asked<PrivateAgent>> => {
  const listed = await readAgents(api)
  if (!listed.ok) return listed
  const open = listed.value.filter(({ revokedAt }) => revokedAt === null)
  const named = open.filter(({ name, id }) => name === given || id === given.toLowerCase())
  const [one] = named
  if (one !== undefined && named.length === 1) return { ok: true, value: one }
  const message =
    one === undefined
      ? `There is no agent named ${showName(given)}.`
      : `${named.length} agents are named ${showName(given)}: say which by its id.`
  const hint =
    named.length === 0 ? 'service agents lists them.' : named.map(({ id }) => id).join(', ')
  return { ok: false, failures: [{ message, hint }] }
}
