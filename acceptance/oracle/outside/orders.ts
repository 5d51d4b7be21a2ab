import type { Script } from '../judging/script.ts'

/** The behaviour of the receiver of webhooks. */
export type Receiving = 'ok' | '503' | 'drop'

/** An order to the outside world. */
export type Order = { script: Script; beginsAt: number } | { receiving: Receiving }

/** Its replies: its address once, and a confirmation of each order. */
export type Reply = { targetPort: number; hooksPort: number } | 'done'
