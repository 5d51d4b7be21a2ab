import {
  createInbox,
  errors,
  type Msg,
  type NatsConnection,
  type Payload,
  type RequestOptions,
} from '@nats-io/nats-core'

const timeoutMsDefault = 1_000

type Waiting = {
  subject: string
  resolve(message: Msg): void
  reject(error: Error): void
  timer: NodeJS.Timeout
}

/**
 * Requests whose answers arrive at one subscription. The client does the same, but makes an error with its stack for
 * each answered request.
 */
export type Requests = {
  /**
   * @throws TimeoutError, or RequestError whose cause is NoRespondersError, a refusal of the server, or none when the
   * connection is closed
   */
  request(subject: string, payload?: Payload, options?: RequestOptions): Promise<Msg>
  /** The server refuses to take a request: the oldest with this subject fails. */
  refuse(error: unknown): void
}

export const createRequests = (nc: NatsConnection, inboxPrefix: string): Requests => {
  const waiting = new Map<string, Waiting>()
  let inbox: string | null = null
  let count = 0

  const settle = (token: string, end: (one: Waiting) => void): void => {
    const one = waiting.get(token)
    if (one === undefined) return
    waiting.delete(token)
    clearTimeout(one.timer)
    end(one)
  }
  const fail = (token: string, cause: Error): void =>
    settle(token, (one) => one.reject(new errors.RequestError(cause.message, { cause })))
  const failAll = (cause: Error): void => {
    for (const token of waiting.keys()) fail(token, cause)
  }
  const listen = (): string => {
    const mine = createInbox(inboxPrefix)
    nc.subscribe(`${mine}.*`, {
      callback: (error, message) => {
        if (error !== null) {
          // another request subscribes again: the server may permit it by then
          inbox = null
          failAll(error)
          return
        }
        const token = message.subject.slice(mine.length + 1)
        const isNobodyThere = message.data.length === 0 && message.headers?.code === 503
        if (!isNobodyThere) settle(token, ({ resolve }) => resolve(message))
        else fail(token, new errors.NoRespondersError(waiting.get(token)?.subject ?? ''))
      },
    })
    return mine
  }
  void nc.closed().then(() => failAll(new errors.ClosedConnectionError()))

  return {
    request: (subject, payload, { timeout = timeoutMsDefault, headers } = { timeout: timeoutMsDefault }) =>
      new Promise((resolve, reject) => {
        inbox ??= listen()
        const token = String(++count)
        const timer = setTimeout(() => {
          settle(token, (one) => one.reject(new errors.TimeoutError()))
        }, timeout)
        waiting.set(token, { subject, resolve, reject, timer })
        try {
          nc.publish(subject, payload, {
            reply: `${inbox}.${token}`,
            ...(headers === undefined ? {} : { headers }),
          })
        } catch (error) {
          settle(token, () => reject(error))
        }
      }),
    refuse: (error) => {
      if (!(error instanceof errors.PermissionViolationError) || error.operation !== 'publish') return
      for (const [token, { subject }] of waiting) {
        if (subject === error.subject) return fail(token, error)
      }
    },
  }
}
