/** The size of one event; the largest is a part of the assignments. */
const eventCharactersMax = 16 * 1024 * 1024

export type ServerEvent = { name: string; data: string }

/**
 * The server-sent events of a body (WHATWG HTML 9.2), as the control plane writes them: one `event` and one
 * `data` line each. A comment yields null, so that a heartbeat is not silence.
 * @throws Error when an event is too large
 */
export const readEvents = async function* (
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerEvent | null> {
  const decoder = new TextDecoder()
  let rest = ''
  let endsLine = false
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true })
    // searches only new text: otherwise a large event in small chunks takes quadratic time
    const endsEvent = text.includes('\n\n') || (endsLine && text.startsWith('\n'))
    if (text !== '') endsLine = text.endsWith('\n')
    rest += text
    if (endsEvent) {
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        yield toEvent(rest.slice(0, end))
        rest = rest.slice(end + 2)
      }
    }
    if (rest.length > eventCharactersMax) throw new Error('an event of the relay is too large')
  }
}

const toEvent = (frame: string): ServerEvent | null => {
  const [name, data] = ['event: ', 'data: '].map((field) =>
    frame
      .split('\n')
      .find((line) => line.startsWith(field))
      ?.slice(field.length),
  )
  return name === undefined || data === undefined ? null : { name, data }
}
