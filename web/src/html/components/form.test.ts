import { expect, test } from 'vitest'
import {
  checkField,
  emptyForm,
  longTextField,
  problemSummary,
  radioField,
  selectField,
  textField,
  type FormState,
} from './form.ts'
import { textOf } from '@probe-mesh/runtime/html'
import { flat } from '../../testing/flat.ts'

const refused: FormState = {
  typed: { name: '<web>', scope: 'read', note: 'one\ntwo' },
  message: null,
  problems: [
    { path: 'name', message: 'must not be blank' },
    { path: 'regions[1]', message: 'is not live' },
    { path: 'regionsOf', message: 'unknown field' },
  ],
}
const choices = [
  { value: 'read', label: 'Read' },
  { value: 'read_write', label: 'Read and write' },
]

test('a field is linked to its label, its hint and its problems, and keeps its value', () => {
  const text = flat(textField(refused, { name: 'name', label: 'Name', hint: 'Of the key', isRequired: true }))
  expect(text).toContain('<label for="field-name">Name</label>')
  expect(text).toContain('<p class="hint" id="field-name-hint">Of the key</p>')
  expect(text).toContain(
    '<input id="field-name" name="name" aria-describedby="field-name-hint field-name-problem" aria-invalid="true" type="text" value="&lt;web&gt;" required>',
  )
  expect(text).toContain('<p class="problem" id="field-name-problem">must not be blank</p>')
})

test('a field without problems mentions none', () => {
  const text = flat(textField(emptyForm, { name: 'name', label: 'Name', fallback: 'first' }))
  expect(text).toContain('<input id="field-name" name="name" type="text" value="first">')
  expect(text).not.toContain('problem')
})

test('a typed password is not sent back', () => {
  const form = { ...emptyForm, typed: { password: 'secret' } }
  const text = flat(textField(form, { name: 'password', label: 'Password', type: 'password' }))
  expect(text).not.toContain('secret')
})

test('a problem of a part belongs to the field of the whole, not to a field with a longer name', () => {
  const regions = flat(textField(refused, { name: 'regions', label: 'Regions' }))
  expect(regions).toContain('is not live')
  expect(regions).not.toContain('unknown field')
})

test('all problems are listed before the fields, with links to those that exist', () => {
  const text = flat(problemSummary(refused, ['name', 'regions']))
  expect(text).toContain('<div class="problems" role="alert">')
  expect(text).toContain(
    '<a href="#field-name"><span data-label-of="field-name">Name</span>: must not be blank</a>',
  )
  expect(text).toContain('<span data-label-of="field-regions">Regions</span>2: is not live</a>')
  expect(text).toContain('<li>Regions of: unknown field</li>')
  expect(problemSummary(emptyForm, ['name'])).toBeNull()
})

test('a choice stays chosen', () => {
  const select = flat(selectField(refused, { name: 'scope', label: 'Scope', choices }))
  expect(select).toContain('<option value="read" selected>Read</option>')
  expect(select).toContain('<option value="read_write">')
  const radio = flat(
    radioField(emptyForm, { name: 'scope', label: 'Scope', choices, fallback: 'read_write' }),
  )
  expect(radio).toContain('value="read_write" checked>')
  expect(radio).not.toContain('value="read" checked')
})

test('an unticked box stays unticked, whatever its default is', () => {
  const box = (form: FormState) => flat(checkField(form, { name: 'all', label: 'All', fallback: true }))
  expect(box(emptyForm)).toContain('checked')
  expect(box(refused)).not.toContain('checked')
  expect(box({ ...refused, typed: { all: 'on' } })).toContain('checked')
})

test('a checkbox has its hint and its problems', () => {
  const form = { ...refused, problems: [{ path: 'name', message: 'must <be>' }] }
  const box = flat(checkField(form, { name: 'name', label: 'All', hint: 'as they are' }))
  expect(box).toContain('aria-describedby="field-name-hint field-name-problem"')
  expect(box).toContain('aria-invalid="true"')
  expect(box).toContain('<p class="problem" id="field-name-problem">must &lt;be&gt;</p>')
  const other = flat(checkField(form, { name: 'all', label: 'All' }))
  expect(other).not.toMatch(/describedby|invalid|problem/)
})

test('a text area keeps its text from the first line', () => {
  expect(textOf(longTextField(refused, { name: 'note', label: 'Note' }))).toContain('>\none\ntwo</textarea>')
})
