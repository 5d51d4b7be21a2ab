import type { Subscriber } from '@probe-mesh/contracts/subscriber/subscriber'

/** A subscription as it is stored, without its link. Times are Unix milliseconds. */
export type SubscriberRecord = {
  id: string
  statusPageId: string
  /** null: the whole page. */
  componentId: string | null
  email: string
  createdAtMs: number
  confirmedAtMs: number | null
  confirmBeforeMs: number
}

/** A subscription as its page's account is shown it. */
export const describeSubscriber = ({
  createdAtMs,
  confirmedAtMs,
  confirmBeforeMs,
  ...said
}: SubscriberRecord): Subscriber => ({
  ...said,
  createdAt: new Date(createdAtMs).toISOString(),
  confirmedAt: confirmedAtMs === null ? null : new Date(confirmedAtMs).toISOString(),
  confirmBefore: confirmedAtMs === null ? new Date(confirmBeforeMs).toISOString() : null,
})
