import { uuidv7 } from '@probe-mesh/contracts/schema/ids'

/** A flip of an account, as published on NATS. */
export const flipOf = (accountId: string, reason: string) => ({
  kind: 'flip',
  accountId,
  flip: {
    id: uuidv7(Date.now()),
    accountId,
    checkId: uuidv7(Date.now()),
    checkName: 'web',
    from: 'operational',
    to: 'down',
    reason,
    at: new Date().toISOString(),
  },
})

/** Collects the text of a stream while it is read. */
export const collect = (
  response: Response,
): { seen: { text: string; ended: boolean }; reading: Promise<void> } => {
  const seen = { text: '', ended: false }
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) seen.text += decoder.decode(chunk)
    seen.ended = true
  }
  return { seen, reading: response.ok ? read().catch(() => undefined) : Promise.resolve() }
}
