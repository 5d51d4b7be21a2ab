/** Of one event; the largest is a part of the assignments. */
const eventCharactersMax = 16 * 1024 * 1024

export type ServerEvent = { name: string; data: string }

/**
 * The server-sent events of a body (WHATWG HTML 9.2), as this mesh writes them: one `event` and one
 * `data` line each; a comment is an event without a name, so that silence can be told from beats.
 * @throws Error where an event is larger than any should be
 */
export const readEvents = async function* (
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerEvent | null> {
  const decoder = new TextDecoder()
  let rest = ''
  let endsLine = false
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true })
    // only what is new is searched, or a large event in small chunks takes time by the square of its size
    const endsEvent = text.includes('\n\n') || (endsLine && text.startsWith('\n'))
    if (text !== '') endsLine = text.endsWith('\n')
    rest += text
    if (endsEvent) {
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        yield toEvent(rest.slice(0, end))
        rest = rest.slice(end + 2)
      }
    }
    if (rest.length > eventCharactersMax) throw new Error('the stream of the relay makes no sense')
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
