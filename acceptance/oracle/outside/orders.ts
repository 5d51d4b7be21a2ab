import type { Script } from '../judging/script.ts'

/** How the receiver of webhooks answers. */
export type Receiving = 'ok' | '503' | 'drop'

/** What the world outside is told to do. */
export type Order = { script: Script; beginsAt: number } | { receiving: Receiving }

/** What it says of itself: once where it is, and after each order that it has it. */
export type Word = { targetPort: number; hooksPort: number } | 'done'
