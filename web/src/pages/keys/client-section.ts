import { html, type Html } from '@probe-mesh/runtime/html'
import { apiConfigs, mcpConfigs, type ClientConfig, type ClientUrls } from './client-configs.ts'

/** A text with a copy button (`islands/copy.js`). @param name names the copied text */
export const copyable = (text: string, name: string): Html =>
  html`<pre data-copy="${name}" tabindex="0" role="region" aria-label="${name}"><code>${text}</code></pre>`

const one = ({ title, where, text }: ClientConfig): Html => html`
  <h3>${title}</h3>
  <p class="muted">${where}</p>
  ${copyable(text, `the text for ${title}`)}
`

/** Key instructions for each client. @param key the key while it is shown; later a placeholder */
export const clientSection = (urls: ClientUrls, { key, tier }: { key: string; tier: string }): Html => html`
  <h2>Programs</h2>
  ${
    tier === 'free' &&
    html`<p>
      The REST API, the command line and Terraform need a Growth or Scale plan. Keys of a free account are for
      assistants.
    </p>`
  }
  ${apiConfigs(urls, key).map(one)}
  <h2>Assistants, over MCP</h2>
  ${
    urls.mcpUrl === null
      ? html`<p>This server has no MCP gateway address. Its operator sets <code>MCP_URL</code>.</p>`
      : html`<p>Without a key, <code>${urls.mcpUrl}/public</code> answers what is down on the internet.</p>
          ${mcpConfigs(urls.mcpUrl, key).map(one)}`
  }
`
