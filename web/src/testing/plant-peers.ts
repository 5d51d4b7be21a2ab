import type { Answer } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { logInAs } from '@probe-mesh/control-plane/src/app/testing/log-in'
import { startReceiver } from '@probe-mesh/control-plane/src/notifications/outgoing/testing'
import { vi } from 'vitest'
import { lines, packed, paragraphs } from './payloads.ts'
import type { TestWeb } from './test-web.ts'

/** Names and versions of agents. */
const agents = packed(lines, 100)
/** User-Agents of browsers, limited to the characters of a header. */
const browsers = packed(
  // eslint-disable-next-line no-control-regex
  lines.filter((text) => /^[\u0020-\u007e]*$/.test(text)),
  300,
)
const errors = packed(paragraphs, 300)
const actors = packed(lines, 200)

type Put = (where: string, text: string) => string

/** Writes every payload into texts from machines: agents, browsers, receivers of messages. */
export const plantPeers = async (
  { at }: TestWeb,
  owner: { accountId: string; email: string },
  put: Put,
): Promise<void> => {
  for (const [n, agent] of agents.entries()) {
    await at.bus.presence.announce({
      agent: put('agent', agent),
      region: 'fra',
      version: put('version', agents[(n + 1) % agents.length] ?? ''),
      startedAt: at.now(),
    })
  }
  for (const text of browsers) {
    const answer = await logInAs(at, owner.email, {
      headers: { 'user-agent': put('browser', text) },
    })
    if (answer.status !== 200) throw new Error(answer.text)
  }
  for (const [n, text] of actors.entries()) {
    await at.sql`
      insert into audit_log (id, account_id, at, actor_kind, actor_id, actor_name, address, action,
        resource_type, resource_id)
      values (gen_random_uuid(), ${owner.accountId}, ${new Date(at.now() + 3_600_000 + n)}, 'key', null,
        ${put('actor', text)}, ${text}, ${text}, ${text}, ${text})`
  }
}

/** Sets errors with these texts on deliveries, as mail servers write them. */
export const plantSendErrors = async ({ at }: TestWeb, accountId: string, put: Put): Promise<void> => {
  const rows = await at.sql<{ id: string }[]>`
    select id from deliveries where account_id = ${accountId}
    order by sequence desc limit ${errors.length}`
  if (rows.length < errors.length) throw new Error('there are too few deliveries')
  for (const [n, { id }] of rows.entries()) {
    await at.sql`update deliveries set last_error = ${put('send error', errors[n] ?? '')}, state = 'dead'
      where id = ${id}`
  }
}

/** Waits until the mesh page shows the agents, which it polls from the bus. */
export const untilAgentsAreSeen = (ask: () => Promise<Answer>): Promise<void> =>
  vi.waitFor(async () => {
    if ((await ask()).json.agentsInAll < agents.length) throw new Error('not seen yet')
  })

/** A receiver that refuses each message with one of these texts. */
export const startHostileReceiver = async () => {
  const receiver = await startReceiver((_request, response, count) => {
    const text = errors[(count - 1) % errors.length] ?? ''
    response.writeHead(400, {
      'content-type': 'text/html"><zq-made>',
      'x-zq': '"><script>zq()</script>',
    })
    response.end(text)
  })
  return { ...receiver, answers: errors }
}
