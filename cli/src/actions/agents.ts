import type { CreatedAgent, PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import { fail, writeJson, type Failure } from '../api/failure.ts'
import { openApi, type Api } from '../api/open-api.ts'
import type { Result } from '../api/request.ts'
import type { Action, KeyOptions } from '../command-line/command-spec.ts'
import { showName } from '../plan/show-value.ts'
import { displayOf, type Display } from '../show/display.ts'
import { wrapWords } from '../show/fit-width.ts'
import { duration } from '../show/measures.ts'
import { tableLines, type Column } from '../show/table.ts'
import { createFile } from './files.ts'
import { writeLines, type Context, type ExitCode } from '../terminal/context.ts'

type AgentsOptions = KeyOptions & { out: string | undefined }
type AgentAction = (context: Context, options: AgentsOptions, api: Api, agent: string) => Promise<ExitCode>

/** Lists, enrolls, rotates and revokes the account's private agents. */
export const manageAgents: Action<AgentsOptions> = async (context, options, given) => {
  const [action = 'list', agent = ''] = given
  const known = actions[action]
  const problem = problemOf(action, agent, options)
  if (known === undefined || problem !== null) {
    return fail(context, options, [problem ?? { message: `There is no act named ${showName(action)}.` }])
  }
  const opened = await openApi(context, options)
  if (!opened.ok) return fail(context, options, opened.failures)
  return known(context, options, opened.api, agent)
}

const problemOf = (action: string, agent: string, { out }: AgentsOptions): Failure | null => {
  if (!Object.hasOwn(actions, action)) {
    return {
      message: `agents has no action ${showName(action)}.`,
      hint: 'Use list, enroll, rotate or revoke.',
    }
  }
  if (action === 'list' ? agent !== '' : agent === '') {
    return {
      message: `agents ${action} ${action === 'list' ? 'takes no agent' : 'needs an agent'}.`,
    }
  }
  if (out !== undefined && action !== 'enroll' && action !== 'rotate') {
    return { message: `agents ${action} writes no token, so --out does not apply.` }
  }
  return null
}

const list: AgentAction = async (context, options, api) => {
  const listed = await readAgents(api)
  if (!listed.ok) return fail(context, options, listed.failures)
  const { out, environment } = context
  if (options.json) writeJson(out, { version: 1, agents: listed.value })
  else writeLines(out, agentTable(displayOf(out, environment), listed.value, context.now()))
  return 0
}

const enroll: AgentAction = (context, options, api, name) =>
  withToken(context, options, () =>
    api.write(`Enrolling ${showName(name)}`, (client) => client.call('createAgent', { body: { name } })),
  )

const rotate: AgentAction = async (context, options, api, given) => {
  const found = await findAgent(api, given)
  if (!found.ok) return fail(context, options, found.failures)
  const { id } = found.value
  return withToken(context, options, () =>
    api.write('Creating a new token', (client) => client.call('rotateAgent', { params: { id } })),
  )
}

const revoke: AgentAction = async (context, options, api, given) => {
  const found = await findAgent(api, given)
  if (!found.ok) return fail(context, options, found.failures)
  const { id, name } = found.value
  const revoked = await api.write(`Revoking ${showName(name)}`, (client) =>
    client.call('revokeAgent', { params: { id } }),
  )
  if (!revoked.ok) return fail(context, options, revoked.failures)
  if (options.json) writeJson(context.out, { version: 1, agent: revoked.value })
  else context.out.write(`${showName(name)} (${id}) is revoked: it can no longer connect.\n`)
  return 0
}

const actions: Readonly<Record<string, AgentAction>> = { list, enroll, rotate, revoke }

/**
 * Creates a token and hands it over: on standard output, or in the new file of `--out` and nowhere else. The file is
 * created first, so that no agent exists whose token could not be kept.
 */
const withToken = async (
  context: Context,
  options: AgentsOptions,
  create: () => Promise<Result<CreatedAgent>>,
): Promise<ExitCode> => {
  const file = options.out === undefined ? null : await createFile(options.out)
  if (file !== null && !file.ok) return fail(context, options, [file.failure])
  const created = await create()
  if (!created.ok) {
    await file?.remove()
    return fail(context, options, created.failures)
  }
  const { agent, token, meshUrl } = created.value
  const unwritten = await file?.write(tokenText(agent, token))
  if (unwritten !== undefined && unwritten !== null) {
    const hint = `The token is lost. Make room and run \`agents rotate ${agent.id} --out <file>\` for a new one.`
    return fail(context, options, [{ message: unwritten, hint }])
  }
  if (options.json) {
    writeJson(context.out, {
      version: 1,
      agent,
      meshUrl,
      ...(options.out === undefined ? { token } : { file: options.out }),
    })
    return 0
  }
  if (file === null) context.out.write(`${token}\n`)
  context.err.write(`Region of its checks: ${agent.region}\n`)
  context.err.write(
    `Start it with: MESH_URL=${meshUrl} AGENT_CREDENTIALS=${options.out ?? 'its-token-file'} PRIVATE_TARGETS=10.0.0.0/8\n`,
  )
  return 0
}

const tokenText = ({ name, id }: PrivateAgent, token: string): string =>
  `# The token of the private agent ${showName(name)} (${id}).\n${token}\n`

const readAgents = async (api: Api): Promise<Result<PrivateAgent[]>> => {
  const listed = await api.read('Reading the agents', (client) => client.call('listAgents', {}))
  return listed.ok ? { ok: true, value: listed.value.agents } : listed
}

/** Finds the one agent with a name or an id; names may repeat. */
const findAgent = async (api: Api, given: string): Promise<Result<PrivateAgent>> => {
  const listed = await readAgents(api)
  if (!listed.ok) return listed
  const open = listed.value.filter(({ revokedAt }) => revokedAt === null)
  const named = open.filter(({ name, id }) => name === given || id === given.toLowerCase())
  const [one] = named
  if (one !== undefined && named.length === 1) return { ok: true, value: one }
  const message =
    one === undefined
      ? `There is no agent named ${showName(given)}.`
      : `${named.length} agents are named ${showName(given)}: use the id.`
  const hint =
    named.length === 0 ? 'Run `probe-mesh agents` to list them.' : named.map(({ id }) => id).join(', ')
  return { ok: false, failures: [{ message, hint }] }
}

const columns: readonly Column[] = [
  { title: 'AGENT', min: 10 },
  { title: 'STATE' },
  { title: 'LAST SEEN', align: 'right', dropOrder: 2 },
  { title: 'CHECKS', align: 'right', dropOrder: 3 },
  { title: 'ID', dropOrder: 1 },
]

const words: Readonly<Record<PrivateAgent['presence'], string>> = {
  never: 'never seen',
  present: 'online',
  away: 'offline',
  revoked: 'revoked',
}

/** The account's private agents, and when each was last seen. */
const agentTable = (display: Display, agents: readonly PrivateAgent[], nowMs: number): string[] => {
  if (agents.length === 0) return wrapWords(display, 'This account has no private agents.')
  const lastSeen = ({ lastSeenAt }: PrivateAgent): string =>
    lastSeenAt === null ? '-' : `${duration(Math.max(0, (nowMs - Date.parse(lastSeenAt)) / 1000))} ago`
  return tableLines(
    display,
    columns,
    agents.map((agent) => [
      showName(agent.name),
      words[agent.presence],
      lastSeen(agent),
      String(agent.checks),
      agent.id,
    ]),
  )
}
