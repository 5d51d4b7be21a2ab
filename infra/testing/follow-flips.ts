import { AccountEvent, type Flip } from '@probe-mesh/contracts/mesh/events'

/** The flips of a stream of events since it was opened, in order. */
export type FollowedFlips = { readonly flips: readonly Flip[]; close(): Promise<void> }

/** Follows the account's events like any client and keeps the flips. */
export const followFlips = async (apiUrl: string, apiKey: string): Promise<FollowedFlips> => {
  const stop = new AbortController()
  const response = await fetch(`${apiUrl}/events`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: stop.signal,
  })
  if (!response.ok || response.body === null) throw new Error(`events answered ${response.status}`)
  const flips: Flip[] = []
  const { body } = response
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true })
      const messages = text.split('\n\n')
      text = messages.pop() ?? ''
      for (const message of messages) {
        const data = /^data: (.*)$/m.exec(message)?.[1]
        if (data === undefined) continue
        const event = AccountEvent.safeParse(JSON.parse(data))
        if (event.success && event.data.kind === 'flip') flips.push(event.data.flip)
      }
    }
  }
  const reading = read().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  return {
    flips,
    close: async () => {
      stop.abort()
      await reading
    },
  }
}
