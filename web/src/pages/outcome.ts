import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { LoggedIn } from '@probe-mesh/contracts/account/session'
import type { DoneWord } from '../html/components/toast.ts'
import type { DashboardPage } from '../html/dashboard-page.ts'
import type { Assets } from '../html/document.ts'
import type { FormState, Typed } from '../html/components/form.ts'
import type { Theme } from '../html/theme.ts'
import type { Html } from '@probe-mesh/runtime/html'

/** What comes of a request for a page: what a browser is given, without how. */
export type Outcome =
  /** A page of the dashboard, in its frame. */
  | ({
      kind: 'page'
      status?: number
      /** It frames a page of ours. */
      frames?: true
    } & DashboardPage)
  /** A whole page that only a page of ours may frame (`frames` of a page). */
  | { kind: 'framed'; textOf: (assets: Assets) => string; imageOrigin: string | null }
  /** A page of one column, for visitors without a session. */
  | {
      kind: 'plain'
      title: string
      /** The first heading, where it says more than the title. */
      heading?: Html
      main: Html
      status?: number
    }
  /** A form was taken, or there is nothing here: the browser asks for that path. */
  | {
      kind: 'elsewhere'
      path: string
      done?: DoneWord
      /** Where the act is undone. */
      undo?: string
      /** What the page at `path` says once, at most 2,000 bytes of JSON: a secret, or what a receiver answered. */
      note?: unknown
      /** The colours that the member chose. */
      theme?: Theme
    }
  /** The API refused, and there is no form to show that in. */
  | { kind: 'refused'; problem: Problem; retryAfter: string | null }

/** An answer of the API that is a refusal, as an outcome. */
export const refused = (answer: {
  problem: Problem
  retryAfter: string | null
}): Extract<Outcome, { kind: 'refused' }> => ({
  kind: 'refused',
  problem: answer.problem,
  retryAfter: answer.retryAfter,
})

/** The form again, with what was typed and with what the API said of it. */
export const refusedForm = (typed: Typed, { errors, message }: Problem): FormState => ({
  typed,
  message: errors.length === 0 ? message : null,
  problems: errors,
})

/** A request for a page, as far as pages read it. */
export type PageRequest = {
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** What was posted; empty where nothing was. */
  form: URLSearchParams
}

/** Who is logged in, as every page of the dashboard is given it. */
export type Member = {
  who: LoggedIn
  /** The zone of the member's browser, once a script has reported it; else UTC. */
  zone: string
  theme: Theme
}
