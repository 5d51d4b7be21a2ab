import { withDeadline } from '@probe-mesh/runtime/deadline'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyInstance } from 'fastify'
import { sendRefusal } from '../http/send-refusal.ts'
import { readCalendar } from '../on-call/calendar.ts'

/** A slower answer counts as a database that is unavailable. */
const answerMsMax = 10_000

/** The calendar of a schedule, for programs that hold its secret address. */
export const bindOnCallCalendar = (
  app: FastifyInstance,
  context: Parameters<typeof readCalendar>[0],
): void => {
  app.get('/on-call/:name', async (request, reply) => {
    const { name } = request.params as { name: string }
    const token = /^([\w-]{64})\.ics$/.exec(name)?.[1] ?? ''
    const text = await withDeadline(readCalendar(context, token), answerMsMax)
    if (text === null) return sendRefusal(reply, refuse('SV-3001'))
    return reply
      .header('content-type', 'text/calendar; charset=utf-8')
      .header('cache-control', 'private, max-age=300')
      .send(text)
  })
}
