import { jsonForms, type JsonForm } from '@probe-mesh/contracts/channel/json-forms'
import { expect, test } from 'vitest'
import { useTestWeb } from '../../testing/test-web.ts'
import { presetNames, presetOf, presets, typeOf } from './presets.ts'

const web = useTestWeb()

const list = '/dashboard/channels'
const forms = (Object.keys(jsonForms) as JsonForm[]).filter((form) => form !== 'default')

const typed: Readonly<Record<string, Record<string, string>>> = {
  slack: { webhookUrl: 'https://hooks.slack.com/services/T0/B0/abcdefgh' },
  pagerduty: { routingKey: 'r'.repeat(32) },
  telegram: { botToken: '123456:ABC-DEF', chatId: '@ops' },
  ntfy: { topicUrl: 'https://ntfy.sh/hidden-topic' },
  mattermost: { webhookUrl: 'https://chat.example.org/hooks/abcdefgh' },
  google_chat: { webhookUrl: 'https://chat.googleapis.com/v1/spaces/A/messages?key=k' },
  gotify: { url: 'https://gotify.example.org/push', token: 'AiOLxxDxYOCc7bY' },
  pushover: { token: 'a'.repeat(30), user: 'u'.repeat(30) },
  jsm: { apiKey: 'the-key-of-jsm' },
  template: {
    url: 'https://sms.example.org/send',
    contentType: 'json',
    body: '{"text": "{{ title }}"}',
    headers: 'X-Key: abcdefgh',
  },
}
const fieldsOf = (form: string) =>
  Object.fromEntries(Object.entries(typed[form] ?? {}).map(([key, value]) => [`config.${key}`, value]))

test('each form has a preset with the keys of its schema', () => {
  for (const form of forms) {
    const keys = Object.keys(jsonForms[form].shape).filter((key) => key !== 'form')
    expect(presets[form].fields.map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
  }
  for (const preset of presetNames) {
    const { type, form } = typeOf(preset)
    expect(presetOf(type, form)).toBe(preset)
  }
  expect([presetOf('slack', null), presetOf('json', 'discord'), presetOf('json', 'default')]).toEqual([
    null,
    null,
    'json',
  ])
})

test('the choice names every preset, and Opsgenie names its end and its successor', async () => {
  const member = await web.member()
  const { text } = await member.get(`${list}/new`)
  for (const { name } of Object.values(presets)) expect(text).toContain(name)
  const opsgenie = await member.get(`${list}/new?type=opsgenie`)
  expect(opsgenie.text).toContain('Opsgenie ends on 2027-04-05')
  expect(opsgenie.text).toContain('Jira Service Management')
})

test.each(forms)(
  '%s: the form shows its own fields only, and creates and renames the channel',
  async (form) => {
    const member = await web.member()
    const page = await member.get(`${list}/new?type=json&form=${form}`)
    const names = [...page.raw.matchAll(/name="config\.(\w+)"/g)].map(([, name]) => name).toSorted()
    expect(names).toEqual(['form', ...presets[form].fields.map(({ key }) => key)].toSorted())
    const hidden = { type: 'json', 'config.form': form }
    const created = await member.post(list, { ...hidden, name: 'ops', ...fieldsOf(form) })
    expect(created.status).toBe(303)
    const path = String(created.to)
    const { text } = await member.get(path)
    expect(text).toContain(presets[form].name)
    for (const [key, value] of Object.entries(typed[form] ?? {})) {
      if (key !== 'chatId' && value.length > 8) expect(text).not.toContain(value)
    }
    const choice = form === 'template' ? { 'config.contentType': 'json' } : {}
    expect(await member.post(path, { name: 'renamed', ...choice })).toMatchObject({ status: 303, to: path })
    expect((await member.get(list)).text).toContain('renamed')
  },
)

test('a wrong template is explained beside its fields, and what was typed is kept', async () => {
  const member = await web.member()
  const answer = await member.post(list, {
    type: 'json',
    'config.form': 'template',
    name: 'sms',
    ...fieldsOf('template'),
    'config.body': '{"text": "{{ titel }}"}',
    'config.headers': 'Host: x',
  })
  expect(answer.status).toBe(422)
  for (const id of ['field-config-body-problem', 'field-config-headers-problem']) {
    expect(answer.text).toContain(`id="${id}"`)
  }
  expect(answer.text).toContain('{{ titel }}')
})
