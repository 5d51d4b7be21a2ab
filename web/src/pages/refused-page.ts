import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import { html, type Html } from '@probe-mesh/runtime/html'
import { wordsOf } from '../html/components/label-problems.ts'

/** A refusal outside a form: the problem, and what to do. */
export const refusedPage = (
  { message, errors }: Pick<Problem, 'message' | 'errors'>,
  retryAfter: string | null,
): Html => html`
  <p class="problems" role="alert">${message}</p>
  ${
    errors.length > 0 &&
    html`<ul>
      ${errors.map((error) => html`<li>${error.path !== '' && `${wordsOf(error.path)}: `}${error.message}</li>`)}
    </ul>`
  }
  ${retryAfter !== null && html`<p>Try again in ${retryAfter} seconds.</p>`}
`
