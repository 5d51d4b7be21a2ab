import { errorAnswer, idOf, isUnanswered, type HttpAnswer } from './json-rpc.ts'

/** Messages of a batch. Each counts against the budgets of its caller as if it came by itself. */
export const batchMessagesMax = 16
/** After these, the rest of a batch is not run. */
const batchMsMax = 20_000
const batchBytesMax = 8 * 1024 * 1024

/** JSON-RPC of these revisions has batches; without the header a request is of 2025-03-26. 2025-06-18 removed them. */
const revisions: ReadonlySet<unknown> = new Set(['2024-11-05', '2025-03-26'])

const invalid = (message: string) => ({ code: -32_600, message })

/**
 * Why a batch is refused as a whole, before any of its messages is run; null: it is not.
 * @param revision the header `MCP-Protocol-Version`
 */
export const refusedBatch = (messages: readonly unknown[], revision: unknown): HttpAnswer | null => {
  const refused = (message: string): HttpAnswer => errorAnswer(400, invalid(`${message} Nothing was run.`))
  if (revision !== undefined && !revisions.has(revision)) {
    const shown = String(revision).slice(0, 40)
    return refused(`Send one message, not an array of them: the revision ${shown} has no batches.`)
  }
  if (messages.length === 0) return refused('An empty array is no batch: send at least one message.')
  if (messages.length > batchMessagesMax) {
    return refused(`A batch has at most ${batchMessagesMax} messages; this one has ${messages.length}.`)
  }
  const ids = messages.map(idOf).filter((id) => id !== null)
  const twice = ids.find((id, at) => ids.indexOf(id) < at)
  if (twice === undefined) return null
  return refused(
    `The id ${JSON.stringify(twice).slice(0, 100)} is in the batch twice: answers would be mixed up.`,
  )
}

/**
 * Answers the messages of a batch one after another, in their order (S-2593). Notifications and responses have no answer.
 * The status is 200, or that of all its answers where every message is refused alike, such as 401 and 429.
 * @param answer answers one message that came by itself
 */
export const answerBatch = async (
  messages: readonly unknown[],
  answer: (message: unknown) => Promise<HttpAnswer>,
  now: () => number,
): Promise<HttpAnswer> => {
  const untilMs = now() + batchMsMax
  const answers: HttpAnswer[] = []
  let unanswered: HttpAnswer = { status: 202, body: null }
  let bytes = 0
  for (const message of messages) {
    const isOver = bytes > batchBytesMax || now() > untilMs
    const one = refusedInBatch(message, isOver) ?? (await answer(message))
    if (isUnanswered(message)) {
      // the refusal of a notification is told where nothing else is
      if (one.body !== null) unanswered = one
      continue
    }
    if (one.body === null) continue
    bytes += one.body.length
    answers.push(one)
  }
  const [first] = answers
  if (first === undefined) return unanswered
  const body = `[${answers.map((each) => each.body).join(',')}]`
  return answers.every(({ status }) => status === first.status)
    ? { ...first, ...longestWait(answers), body }
    : { status: 200, body }
}

/** The answer to a message that is not run. */
const refusedInBatch = (message: unknown, isOver: boolean): HttpAnswer | null => {
  const id = idOf(message)
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    return errorAnswer(400, invalid('Each message of a batch must be a JSON object.'), id)
  }
  if ('method' in message && message.method === 'initialize') {
    return errorAnswer(400, invalid('Send initialize by itself: it must not be part of a batch.'), id)
  }
  if (!isOver) return null
  const late = 'Not run: the batch took 20 s or its answers have 8 MB. Send the rest in another one.'
  return id === null ? { status: 202, body: null } : errorAnswer(503, { code: -32_603, message: late }, id)
}

/** A client that comes back sooner would be refused again. */
const longestWait = (answers: readonly HttpAnswer[]): Pick<HttpAnswer, 'headers'> => {
  const seconds = answers.map(({ headers }) => Number(headers?.['retry-after'] ?? 0))
  const longest = Math.max(...seconds)
  const [first] = answers
  return longest === 0 ? {} : { headers: { ...first?.headers, 'retry-after': String(longest) } }
}
