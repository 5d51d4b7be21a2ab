import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { LoggedIn } from '@probe-mesh/contracts/account/session'
import type { DoneWord } from '../html/components/toast.ts'
import type { DashboardPage } from '../html/dashboard-page.ts'
import type { Assets } from '../html/document.ts'
import type { FormState, Typed } from '../html/components/form.ts'
import type { Theme } from '../html/theme.ts'
import type { Html } from '@probe-mesh/runtime/html'

/** The result of a request for a page, independent of HTTP. */
export type Outcome =
  /** A page of the dashboard, in its frame. */
  | ({
      kind: 'page'
      status?: number
      /** The page frames one of our pages. */
      frames?: true
    } & DashboardPage)
  /** A whole page that only our pages may frame (`frames` of a page). */
  | { kind: 'framed'; textOf: (assets: Assets) => string; imageOrigin: string | null }
  /** A page of one column, for visitors without a session. */
  | {
      kind: 'plain'
      title: string
      /** The first heading, if it says more than the title. */
      heading?: Html
      main: Html
      status?: number
    }
  /** After a form, or for a moved page: the browser requests that path. */
  | {
      kind: 'elsewhere'
      path: string
      done?: DoneWord
      /** The address that undoes the action. */
      undo?: string
      /**
       * A note shown once by the page at `path`, at most 2,000 bytes of JSON: a secret, or a receiver's
       * answer.
       */
      note?: unknown
      /** The colours that the member chose. */
      theme?: Theme
    }
  /** The API refused, and there is no form to show the problem. */
  | { kind: 'refused'; problem: Problem; retryAfter: string | null }

/** A refusal of the API as an outcome. */
export const refused = (answer: {
  problem: Problem
  retryAfter: string | null
}): Extract<Outcome, { kind: 'refused' }> => ({
  kind: 'refused',
  problem: answer.problem,
  retryAfter: answer.retryAfter,
})

/** The form again, with its input and the API's problems. */
export const refusedForm = (typed: Typed, { errors, message }: Problem): FormState => ({
  typed,
  message: errors.length === 0 ? message : null,
  problems: errors,
})

/** The parts of a request that pages read. */
export type PageRequest = {
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** The posted form; empty without one. */
  form: URLSearchParams
}

/** The logged-in user, passed to every page of the dashboard. */
export type Member = {
  who: LoggedIn
  /** The zone of the member's browser, once a script has reported it; UTC before. */
  zone: string
  theme: Theme
}
