// Live control: load of each group, a factor, a property, pause, stop.

import { ask } from './api';
import { h, setText } from './dom';
import { errorText } from './format';
import type { GroupStatus, Status } from './ticks';

interface GroupForm {
  element: HTMLElement;
  input: HTMLInputElement;
  now: HTMLElement;
}

export class Control {
  private readonly answer = h('p', { class: 'done soft', role: 'status' });
  private readonly groups = h('div', { class: 'rows' });
  private readonly over = h('input', { type: 'number', min: '0', max: '86400', step: 'any', value: '0', required: true });
  private readonly pause = h('button', { type: 'button' }, 'Pause');
  private readonly forms = new Map<number, GroupForm>();
  private readonly dialog = this.stopDialog();
  private paused = false;

  constructor(private readonly place: HTMLElement) {
    this.pause.addEventListener('click', () => void this.change('POST', this.paused ? '/api/resume' : '/api/pause'));
    const stop = h('button', { type: 'button', class: 'danger', onclick: () => this.dialog.showModal() }, 'Stop …');
    const factor = h('input', { type: 'number', min: '0.01', max: '1000', step: 'any', value: '1', required: true });
    const name = h('input', { type: 'text', required: true, autocomplete: 'off', spellcheck: 'false' });
    const value = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' });
    const multiply = form('Multiply', () => void this.change('PUT', '/api/load', { factor: Number(factor.value), over_ms: this.overMs() }), h('label', {}, 'Multiply all load by', factor));
    const property = form('Set', () => void this.change('PUT', `/api/properties/${encodeURIComponent(name.value.trim())}`, { value: value.value }),
      h('label', {}, 'Property', name), h('label', {}, 'Value', value));
    place.setAttribute('aria-label', 'Control');
    place.append(h('div', { class: 'card' },
      h('div', { class: 'section-head' }, h('h2', {}, 'Control'), h('div', { class: 'tools' }, this.pause, stop)),
      this.groups,
      h('div', { class: 'rows' },
        multiply,
        h('label', { title: 'Changes of users, rates and factors ramp linearly over this time; 0: immediately' }, 'Ramp time, s', this.over),
        property),
      this.answer, this.dialog));
  }

  /** Shows the state of the run; text that the user is typing stays. */
  show(status: Status): void {
    this.place.hidden = status.is_over;
    if (status.is_over && this.dialog.open) this.dialog.close();
    this.paused = status.is_paused;
    setText(this.pause, status.is_paused ? 'Resume' : 'Pause');
    for (const group of status.groups) this.showGroup(group);
  }

  private showGroup(group: GroupStatus): void {
    const known = this.forms.get(group.place) ?? this.addGroup(group);
    const isRate = group.wanted_per_s !== null;
    const wanted = isRate ? group.wanted_per_s : group.wanted_users;
    setText(known.now, wanted === null ? `${group.name}: not started` : `${group.name}: ${group.active} users running, ${wanted} ${isRate ? 'a second' : 'users'} requested`);
    if (document.activeElement !== known.input && known.input.value === known.input.defaultValue && wanted !== null) {
      known.input.defaultValue = String(wanted);
      known.input.value = String(wanted);
    }
    known.input.dataset['field'] = isRate ? 'per_s' : 'users';
    known.input.step = isRate ? 'any' : '1';
  }

  private addGroup(group: GroupStatus): GroupForm {
    const path = `/api/groups/${group.place}/load`;
    const input = h('input', { type: 'number', min: '0', required: true });
    const now = h('span', {});
    const plan = h('button', { type: 'button', title: 'Return this group to the load in the plan', onclick: () => {
      input.value = input.defaultValue;
      void this.change('DELETE', path);
    } }, 'Back to plan');
    const apply = () => {
      input.defaultValue = input.value;
      void this.change('PUT', path, { [input.dataset['field'] ?? 'users']: Number(input.value), over_ms: this.overMs() });
    };
    const element = form('Apply', apply, h('label', {}, now, input));
    element.classList.add('group');
    element.append(plan);
    this.groups.append(element);
    const made = { element, input, now };
    this.forms.set(group.place, made);
    return made;
  }

  /** Duration of the linear ramp to a new load; an invalid value counts as none. */
  private overMs(): number {
    return Math.max(0, Math.min(86_400_000, Math.round(Number(this.over.value) * 1000))) || 0;
  }

  private stopDialog(): HTMLDialogElement {
    const button = (text: string, kind: string, act: () => void) => h('button', { type: 'button', class: kind, onclick: () => {
      dialog.close();
      act();
    } }, text);
    const dialog = h('dialog', { 'aria-labelledby': 'stop-title' },
      h('h2', { id: 'stop-title' }, 'Stop the run?'),
      h('p', {}, 'A stopped run cannot be resumed. Its report is written as usual.'),
      h('div', { class: 'buttons' },
        button('Keep running', '', () => undefined),
        button('Stop after current samples', 'danger', () => void this.change('POST', '/api/stop')),
        button('Stop now', 'danger', () => void this.change('POST', '/api/stop-now'))));
    return dialog;
  }

  private async change(method: string, path: string, body?: unknown): Promise<void> {
    try {
      const { done } = await ask<{ done: string }>(method, path, body);
      this.say(done, false);
    } catch (error) {
      this.say(errorText(error), true);
    }
  }

  private say(text: string, isBad: boolean): void {
    setText(this.answer, text);
    this.answer.className = isBad ? 'done bad' : 'done soft';
  }
}

function form(action: string, act: () => void, ...children: HTMLElement[]): HTMLFormElement {
  return h('form', { onsubmit: (event) => {
    event.preventDefault();
    act();
  } }, ...children, h('button', { type: 'submit' }, action));
}
