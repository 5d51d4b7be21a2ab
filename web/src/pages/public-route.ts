import type { AskPublic } from '../api/ask-public.ts'
import type { Assets } from '../html/document.ts'
import type { Outcome, PageRequest } from './outcome.ts'

/** What a copy of a page is confirmed by, in the place of its text. */
export type PageValidator = {
  /** A hash of all that a reader would notice. */
  revision: string
  /** The time of the data, ISO 8601. */
  asOf: string
}

/** What comes of a request for a page that is the same for everybody. */
export type PublicOutcome =
  | {
      kind: 'public'
      form: 'html' | 'markdown'
      text: string
      /** The one place elsewhere that the page loads images from; null: none. */
      imageOrigin: string | null
      /** 200 unless something else is said; any other is kept by nobody. */
      status?: number
      /** How long others may keep it, unless it is said a moment; 0: they ask each time whether it changed. */
      maxAgeSeconds?: number
      /** What confirms a copy; without it the whole text does. */
      validator?: PageValidator
    }
  /** Of one column and for one reader, as what a mailed link opens: kept by nobody. */
  | Extract<Outcome, { kind: 'plain' | 'refused' }>

/** A page for anybody, without a session: others may keep it for a moment, but not what a form gave. */
export type PublicRoute = {
  /** GET unless something else is said. */
  method?: 'GET' | 'POST'
  path: string
  /**
   * What may be posted: a form, unless something else is said. `anything` is not read: that it was
   * posted says everything. `form_beside_json`: JSON at the same address is the control plane's.
   */
  takes?: 'anything' | 'form_beside_json'
  serve(request: PageRequest & { askPublic: AskPublic; assets: Assets }): Promise<PublicOutcome>
}
