/** What one surface says about one check at one moment; what it does not say is absent. Times are Unix ms. */
export type Statement = {
  surface: string
  /** The name of the check, or of the component that publishes it. */
  check: string
  /** For surfaces of the account. */
  status?: string
  /** For surfaces of visitors: the state of a component. */
  state?: string
  sinceMs?: number
  /** The regions that fail now. */
  failing?: readonly string[]
  /** Sentences about now. */
  sentences?: readonly string[]
  /** How long it was down in the last day; only while it is not, as it grows else. */
  downSeconds?: number
  isCovered?: boolean
  /** The newest outage, as far as the surface tells it. */
  outage?: { beganMs: number; endedMs: number | null; regions?: readonly string[]; sentence?: string | null }
}

/** What one surface says about a whole page. */
export type PageStatement = {
  surface: string
  page: string
  /** One of the states of a component. */
  state?: string
  /** The first sentence. */
  sentence?: string
  components?: number
}

/** Text that people read on one surface, in the language that it should have. */
export type Text = { surface: string; language: 'en' | 'de'; text: string }

/** Everything that was read in one round. */
export type Moment = {
  name: string
  statements: readonly Statement[]
  pages: readonly PageStatement[]
  texts: readonly Text[]
}
