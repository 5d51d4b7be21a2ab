import { expect, test } from 'vitest'
import { apiConfigs, mcpConfigs } from './client-configs.ts'

const key = 'sv_r_key'
const urls = { apiUrl: 'https://mesh.example.org/v1', mcpUrl: 'https://mcp.example.org' }
const textOf = (configs: { title: string; text: string }[], title: string): string =>
  configs.find((config) => config.title === title)?.text ?? ''

test('every client gets the address and the key, except the editor that prompts for the key', () => {
  const all = [...apiConfigs(urls, key), ...mcpConfigs(urls.mcpUrl, key)]
  expect(all.map(({ title }) => title)).toEqual([
    'curl',
    'Command line',
    'Terraform',
    'Claude Code',
    'Claude Desktop',
    'Cursor',
    'VS Code',
  ])
  for (const { title, text } of all) {
    const isMcp = ['Claude Code', 'Claude Desktop', 'Cursor', 'VS Code'].includes(title)
    expect(text, title).toContain(isMcp ? 'https://mcp.example.org/mcp' : urls.apiUrl)
    expect(text.includes(key), title).toBe(title !== 'VS Code')
  }
})

test('JSON configurations are valid JSON, in the form of their client', () => {
  const configs = mcpConfigs(urls.mcpUrl, key)
  expect(JSON.parse(textOf(configs, 'Cursor')).mcpServers['probe-mesh']).toEqual({
    url: 'https://mcp.example.org/mcp',
    headers: { Authorization: 'Bearer sv_r_key' },
  })
  expect(JSON.parse(textOf(configs, 'VS Code')).servers['probe-mesh'].type).toBe('http')
  expect(JSON.parse(textOf(configs, 'Claude Desktop')).mcpServers['probe-mesh']).toMatchObject({
    command: 'npx',
    env: { AUTH: 'Bearer sv_r_key' },
  })
})

test.each([
  ['https://mcp.example.org', false],
  ['http://127.0.0.1:8081', true],
])('the bridge to %s is told of an address without encryption: %s', (mcpUrl, isTold) => {
  const text = textOf(mcpConfigs(mcpUrl, key), 'Claude Desktop')
  expect(text.includes('--allow-http')).toBe(isTold)
})
