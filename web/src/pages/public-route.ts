import type { AskPublic } from '../api/ask-public.ts'
import type { Assets } from '../html/document.ts'
import type { Outcome, PageRequest } from './outcome.ts'

/** Confirms a cached copy of a page instead of its text. */
export type PageValidator = {
  /** A hash of everything that a reader would notice. */
  revision: string
  /** The time of the data, ISO 8601. */
  asOf: string
}

/** The result of a request for a public page. */
export type PublicOutcome =
  | {
      kind: 'public'
      form: 'html' | 'markdown'
      text: string
      /** The only other origin from which the page loads images; null: none. */
      imageOrigin: string | null
      /** Default 200; other statuses are not cached. */
      status?: number
      /** The cache time; default: a moment. 0: caches revalidate each time. */
      maxAgeSeconds?: number
      /** Confirms a cached copy; default: the whole text. */
      validator?: PageValidator
    }
  /** For one reader, such as the page of a mailed link or the target of a form: not cached. */
  | Extract<Outcome, { kind: 'plain' | 'refused' | 'elsewhere' }>

/** A page without a session; caches may keep it briefly, but not the answer to a form. */
export type PublicRoute = {
  /** Default GET. */
  method?: 'GET' | 'POST'
  path: string
  /**
   * The accepted body; default: a form. `anything` is not read: the request itself is the message.
   * `form_beside_json`: JSON at the same address goes to the control plane.
   */
  takes?: 'anything' | 'form_beside_json'
  serve(request: PageRequest & { askPublic: AskPublic; assets: Assets }): Promise<PublicOutcome>
}

/** A page that only reads. */
export const publicGet = (path: string, serve: PublicRoute['serve']): PublicRoute => ({ path, serve })

/** A form that was sent. */
export const publicPost = (path: string, serve: PublicRoute['serve']): PublicRoute => ({
  method: 'POST',
  path,
  serve,
})
