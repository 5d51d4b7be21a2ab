import type { AskPublic } from '../api/ask-public.ts'
import type { Assets } from '../html/document.ts'
import type { Outcome, PageRequest } from './outcome.ts'

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
      /** How long others may keep it: as the other forms of a status page, unless it is said. */
      maxAgeSeconds?: number
    }
  /** For one reader, as what a mailed link opens or where a form leads: kept by nobody. */
  | Extract<Outcome, { kind: 'plain' | 'refused' | 'elsewhere' }>

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
