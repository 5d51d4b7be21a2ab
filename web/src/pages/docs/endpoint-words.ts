import { html, type Html } from '@probe-mesh/runtime/html'
import type { Endpoint } from '../../api/open-api.ts'

/** Method and path, such as `GET /checks`. */
export const methodAndPath = ({ method, path }: Endpoint): Html =>
  html`<code class="endpoint"><b class="method-${method}">${method.toUpperCase()}</b> ${path}</code>`
