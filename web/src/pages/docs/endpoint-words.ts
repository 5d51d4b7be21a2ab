import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import type { Endpoint } from '../../api/open-api.ts'

/** `GET /checks`, as it is called. */
export const methodAndPath = ({ method, path }: Endpoint): Html =>
  html`<code class="endpoint"><b class="method-${method}">${method.toUpperCase()}</b> ${path}</code>`
