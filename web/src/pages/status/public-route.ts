import type { AskPublic } from '../../api/ask-public.ts'
import type { Assets } from '../../html/document.ts'
import type { Outcome, PageRequest } from '../outcome.ts'

/** What comes of a request for a page that is the same for everybody. */
export type PublicOutcome =
  | {
      kind: 'public'
      form: 'html' | 'markdown'
      text: string
      /** The one place elsewhere that the page loads images from; null: none. */
      imageOrigin: string | null
    }
  | Extract<Outcome, { kind: 'refused' }>

/** A page for anybody, without a session: others may keep it for a moment. */
export type PublicRoute = {
  path: string
  serve(
    request: Pick<PageRequest, 'params' | 'query'> & { askPublic: AskPublic; assets: Assets },
  ): Promise<PublicOutcome>
}
