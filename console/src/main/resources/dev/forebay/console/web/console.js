// SPDX-License-Identifier: Apache-2.0
(function () {
  'use strict';

  const KEPT = 600; // samples, as many as the server keeps
  const byId = id => document.getElementById(id);
  const main = byId('main');

  // ---- what is known

  let token = takeToken();
  let state = null; // the last answer
  let words = { discards: {}, failures: {} };
  let events = [];
  let seen = -1;
  let tick = 0;
  let still = false; // figures are held still
  const groups = new Map(); // name -> { connectLimit, history }
  let pool = null; // the one that is shown: { name, tick, history, parts, settings, actions }
  let view = null; // what is shown was made for so many groups: { groups }

  /** What stands in an address; as it is, if somebody typed what is no escape. */
  function decoded(escaped) {
    try {
      return decodeURIComponent(escaped);
    } catch (e) {
      return escaped;
    }
  }

  /** A link may bring the token behind '#', which no server sees; the address bar does not keep it. */
  function takeToken() {
    const given = /^#token=(.+)$/.exec(location.hash);
    if (given) {
      sessionStorage.setItem('token', decoded(given[1]));
      history.replaceState(null, '', location.pathname);
    }
    return sessionStorage.getItem('token');
  }

  // ---- making elements; every text goes in as text

  function el(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (typeof value === 'function') {
        made.addEventListener(name, value);
      } else if (value !== null && value !== undefined && value !== false) {
        made.setAttribute(name, value === true ? '' : value);
      }
    }
    made.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
    return made;
  }

  const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
  const count = n => whole.format(n);
  const rate = n => n >= 10 || Number.isInteger(n) ? whole.format(n) : n.toFixed(1);
  const millis = n => n === 0 ? '0' : n < 0.1 ? '< 0.1' : n < 10 ? n.toFixed(1) : whole.format(n);
  const sizeOf = object => Object.keys(object).length;
  const spelled = label => label.replace(/_/g, ' ');

  function seconds(n) {
    return n < 10 ? n.toFixed(1) + ' s' : n < 120 ? Math.round(n) + ' s' : n < 7200 ? Math.round(n / 60) + ' min' : Math.round(n / 3600) + ' h';
  }

  function clock(epochMillis) {
    return new Date(epochMillis).toLocaleTimeString('en-GB');
  }

  function table(head, rows, empty) {
    if (rows.length === 0) {
      return el('p', { class: 'soft' }, empty);
    }
    return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': head[0].label + ' table' },
      el('table', {},
        el('thead', {}, el('tr', {}, head.map(h => el('th', { scope: 'col', class: h.n ? 'n' : null }, h.label)))),
        el('tbody', {}, rows.map(row => el('tr', {}, row.map((cell, i) => el('td', { class: head[i].n ? 'n' : head[i].long ? 'long' : null }, cell)))))));
  }

  const text = label => ({ label });
  const long = label => ({ label, long: true });
  const number = label => ({ label, n: true });

  function card(title, ...children) {
    return el('section', { class: 'card' }, el('h3', {}, title), ...children);
  }

  // ---- charts

  const charts = [];

  function color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  /** A figure that draws itself anew with every answer: data() gives [times, ...values]. */
  function chart(title, unit, series, data, logarithmic) {
    const place = el('div', { class: 'plot' });
    const figure = el('figure', { class: 'card', role: 'group', 'aria-label': title },
      el('figcaption', {}, title, ' ', el('small', {}, unit)), place);
    const axis = () => ({ stroke: color('--soft'), grid: { stroke: color('--line'), width: 1 }, ticks: { stroke: color('--line') } });
    let plot = null;
    /** The legend tells the last values unless the pointer is on others. */
    function sayLast(values) {
      if (plot.cursor.idx === null || plot.cursor.idx === undefined) {
        plot.setLegend({ idx: values[0].length - 1 });
      }
    }
    const one = {
      draw() {
        const values = data();
        if (values[0].length < 2 || place.clientWidth === 0) { // one sample is no line, and has no scale
          return;
        }
        if (plot) {
          plot.setData(values);
          sayLast(values);
          return;
        }
        plot = new uPlot({
          width: place.clientWidth,
          height: 190,
          cursor: { y: false },
          hooks: { ready: [u => u.setLegend({ idx: u.data[0].length - 1 })] },
          scales: {
            x: { range: (u, first, now) => [Math.min(first, now - 60), now] },
            y: logarithmic
              ? { distr: 3, range: (u, low, high) => [0.001, Math.max(1, high || 1) * 2] }
              : { range: (u, low, high) => [0, Math.max(1, high || 1) * 1.1] },
          },
          axes: [
            Object.assign(axis(), { space: 90, values: (u, ticks) => ticks.map(t => clock(t * 1000)) }),
            Object.assign(axis(), {
              size: 56,
              splits: logarithmic ? u => [0.001, 0.01, 0.1, 1, 10, 100, 1e3, 1e4, 1e5].filter(t => t <= u.scales.y.max) : undefined,
              values: (u, ticks) => ticks.map(t => t === null || t === 0.001 ? '' : t >= 1 || t === 0 ? whole.format(t) : String(t)),
            }),
          ],
          series: [{ value: (u, t) => t === null ? '–' : clock(t * 1000) }].concat(series.map(s => ({
            label: s.label,
            stroke: color(s.color),
            width: s.limit ? 1 : 1.8,
            dash: s.limit ? [6, 4] : undefined,
            points: { show: false },
            value: (u, v) => v === null || v === undefined ? '–' : logarithmic ? millis(v <= 0.001 ? 0 : v) : rate(v),
          }))),
        }, values, place);
      },
      resize() {
        if (plot && place.clientWidth > 0) {
          plot.setSize({ width: place.clientWidth, height: 190 });
        }
      },
      /** Lets go of it: a plot listens to the window, and would be kept with it. */
      end() {
        if (plot) {
          plot.destroy();
          plot = null;
        }
      },
      anew() {
        one.end();
        one.draw();
      },
    };
    charts.push(one);
    return figure;
  }

  function endCharts() {
    charts.forEach(one => one.end());
    charts.length = 0;
  }

  const wider = new ResizeObserver(() => charts.forEach(one => one.resize()));
  wider.observe(main);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach(one => one.anew()));

  const SERIES = ['--series-0', '--series-1', '--series-2'];

  /** A column of each group, on the times of all. */
  function columns(name, floor) {
    const tables = [...groups.values()].map(group => [group.history.time, group.history[name].map(v => floor ? Math.max(floor, v) : v)]);
    return tables.length === 0 ? [[]] : tables.length === 1 ? tables[0] : uPlot.join(tables);
  }

  function flat(data, value) {
    return data.concat([data[0].map(() => value)]);
  }

  function append(known, more) {
    for (const name of Object.keys(more)) {
      known[name] = (known[name] || []).concat(more[name]).slice(-KEPT);
    }
    return known;
  }

  // ---- views; each draws itself from what is known

  const live = new Set(); // parts of the view that are drawn anew with every answer

  /** A part that is made anew when what it shows has changed. */
  function part(make) {
    const place = el('div', {});
    let shown = '';
    live.add(() => {
      const made = make();
      const nodes = Array.isArray(made) ? made : [made];
      const next = nodes.map(node => node ? node.outerHTML : '').join('');
      if (next !== shown && !(place.contains(document.activeElement) && document.activeElement.matches('input, select'))) {
        const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
        shown = next;
        place.replaceChildren(...nodes.filter(Boolean));
        if (focused) {
          const again = [...place.querySelectorAll('a')].find(a => a.getAttribute('href') === focused);
          if (again) {
            again.focus();
          }
        }
      }
    });
    return place;
  }

  const last = list => list[list.length - 1] || 0;

  function sum(list, name) {
    return list.reduce((total, one) => total + one[name], 0);
  }

  function tile(label, value, small, tone) {
    return el('div', {}, el('dt', {}, label), el('dd', { class: tone }, value, small ? el('small', {}, ' ' + small) : null));
  }

  function tiles(name, group) {
    const pools = state.pools.filter(p => p.group === name);
    const open = last(group.history.open);
    const target = sum(pools, 'target');
    const waiting = sum(pools, 'waiting');
    const timeouts = sum(pools, 'timeouts');
    const connects = last(group.history.connects);
    const waits = state.waits[name];
    return el('dl', { class: 'tiles' },
      tile('open', count(open), target ? 'of ' + count(target) : 'of at most ' + count(sum(pools, 'most')), target && open < target * 0.8 ? 'warn' : null),
      waits ? tile('stalls so far', count(waits.stalls), '', waits.stalls ? 'bad' : 'good') : null,
      waits ? tile('longest wait', waited(waits.longestMillis), '', waits.stalls ? 'bad' : null) : null,
      waits ? tile('refused connects', count(waits.refused), '', waits.refused ? 'bad' : 'good') : null,
      tile('in use', count(sum(pools, 'leased'))),
      tile('waiting', count(waiting), '', waiting ? 'warn' : null),
      tile('connects a second', rate(connects), group.connectLimit ? 'of ' + count(group.connectLimit) : ''),
      waits ? null : tile('checkouts a second', rate(last(group.history.checkouts))),
      waits ? null : tile('checkout p99', millis(last(group.history.p99)), 'ms'),
      waits ? null : tile('waited in vain', count(timeouts), '', timeouts ? 'bad' : null));
  }

  const waited = n => n < 1000 ? count(n) + ' ms' : (n / 1000).toFixed(1) + ' s';

  /** The first line: which servers are sick, and why. */
  function troubles() {
    if (state.servers.length === 0) {
      return [];
    }
    const sick = state.servers.filter(s => s.health === 'unhealthy').length;
    const shown = state.troubles.slice(0, 5).concat(state.troubles.length > 5 ? 'and ' + (state.troubles.length - 5) + ' more' : []);
    return el('section', { class: 'card', id: 'troubles', role: 'status' },
      el('h3', {}, el('span', { class: 'tag ' + (sick ? 'bad' : state.troubles.length ? 'warn' : 'good') },
        sick ? sick + ' of ' + state.servers.length + ' servers unhealthy'
          : state.troubles.length ? state.troubles.length + ' of ' + state.servers.length + ' servers unknown' : 'all servers healthy')),
      state.troubles.length ? el('ul', {}, shown.map(one => el('li', {}, one))) : null);
  }

  /** The demonstration's judgement, when it has ended. */
  function verdict() {
    return state.verdict.length === 0 ? [] : el('section', { class: 'card', id: 'verdict' },
      el('h3', {}, state.verdict.every(v => v.kept) ? 'Forebay kept every promise' : 'Forebay broke a promise'),
      table([long('What was promised'), text('Forebay'), text('HikariCP'), text('Verdict')],
        state.verdict.map(v => [v.promise, v.forebay, v.other, el('span', { class: 'tag ' + (v.kept ? 'good' : 'bad') }, v.kept ? 'ok' : 'not ok')]), ''));
  }

  function overview() {
    const names = [...groups.keys()];
    const series = names.map((name, i) => ({ label: name, color: SERIES[i % SERIES.length] }));
    const limit = [...groups.values()].map(group => group.connectLimit).find(Boolean);
    const hasTarget = state.pools.some(p => p.target > 0);
    const limited = (data, value) => value ? flat(data, value) : data;
    const measuresWaits = sizeOf(state.waits) > 0;
    const target = () => sum(state.pools.filter(p => p.group === names[0]), 'target');
    const drawn = [
      part(() => state.note ? el('p', { class: 'hint' }, state.note) : []),
      part(troubles),
      part(verdict),
      part(() => names.map(name => el('section', { class: 'card' }, el('h3', {}, name), tiles(name, groups.get(name))))),
      el('div', { class: 'grid' },
        chart('Level', 'connections that are open', hasTarget ? series.concat({ label: 'target', color: '--limit', limit: true }) : series,
          () => hasTarget ? flat(columns('open'), target()) : columns('open')),
        measuresWaits ? chart('Stalls', 'checkouts a second that took over 10 ms', series, () => columns('stalls')) : null,
        chart('Connects', 'a second' + (limit ? ', beside the limit' : ''), limit ? series.concat({ label: 'limit', color: '--limit', limit: true }) : series,
          () => limited(columns('connects'), limit)),
        measuresWaits
          ? chart('Refused connects', 'a second', series, () => columns('refused'))
          : chart('Checkout p99', 'milliseconds, of the slowest pool', series, () => columns('p99', 0.001), true),
        measuresWaits ? null : sizeOf(state.transactions) > 0
          ? chart('Conflicts', 'a second', series, () => columns('conflicts'))
          : chart('In use', 'connections', series, () => columns('leased'))),
      el('section', { class: 'card' }, el('h3', {}, 'Lately'), part(() => eventList(events.slice(0, 4)))),
    ];
    return names.length === 0 ? [el('p', { class: 'hint' }, 'There are no pools yet.')] : drawn;
  }

  function level(p) {
    const all = Math.max(p.target || p.most, p.ready + p.leased + p.opening, 1);
    const bar = el('span', { class: 'bar', 'aria-hidden': 'true' });
    for (const kind of ['leased', 'ready', 'opening']) {
      const share = el('i', { class: kind });
      share.style.width = 100 * p[kind] / all + '%';
      bar.append(share);
    }
    return el('span', { class: 'level' }, bar, count(p.ready + p.leased) + ' of ' + count(p.target || p.most));
  }

  function stateTag(p) {
    return el('span', { class: 'tag ' + (p.state === 'serving' ? 'good' : p.state === 'paused' ? 'warn' : 'bad') }, p.state);
  }

  let filter = '';

  function pools() {
    const box = el('input', { type: 'search', id: 'filter', placeholder: 'Filter', 'aria-label': 'Filter by name', value: filter, input: e => { filter = e.target.value; draw(); } });
    return [
      el('p', { class: 'hint' }, el('span', { class: 'key leased' }), 'in use', el('span', { class: 'key ready' }), 'ready', el('span', { class: 'key opening' }), 'on the way'),
      el('div', { class: 'tools' }, box),
      part(() => {
        const shown = state.pools.filter(p => (p.name + ' ' + p.group).toLowerCase().includes(filter.toLowerCase()));
        return el('section', { class: 'card' }, table(
          [text('Pool'), text('State'), text('Open'), number('In use'), number('Waiting'), number('p99 ms'), number('Checkouts'), number('Found empty'), number('In vain'), number('Opened')],
          shown.slice(0, 200).map(p => [el('a', { href: '#/pool/' + encodeURIComponent(p.name) }, p.name), stateTag(p), level(p), count(p.leased), count(p.waiting), millis(p.p99Millis), count(p.checkouts), count(p.empties), count(p.timeouts), count(p.opened)]),
          'There is no such pool.'),
        shown.length > 200 ? el('p', { class: 'soft' }, 'And ' + count(shown.length - 200) + ' more: filter by name.') : null);
      }),
    ];
  }

  function reasons(discards) {
    const labels = Object.keys(discards).sort((a, b) => discards[b] - discards[a]);
    return table([text('Reason'), number('Connections'), long('What it means')],
      labels.map(label => {
        const known = words.discards[label] || { meaning: '', expected: true };
        return [el('span', { class: known.expected ? null : 'warn' }, spelled(label)), count(discards[label]), known.meaning];
      }), 'No connection has left yet.');
  }

  function failures(counts) {
    const labels = Object.keys(counts).sort((a, b) => counts[b] - counts[a]);
    return table([text('Cause'), number('Opens'), long('What it means')],
      labels.map(label => [spelled(label), count(counts[label]), words.failures[label] || '']), 'Every open succeeded.');
  }

  function total(name) {
    const all = {};
    for (const p of state.pools) {
      for (const [label, n] of Object.entries(p[name])) {
        all[label] = (all[label] || 0) + n;
      }
    }
    return all;
  }

  function discards() {
    return [
      el('p', { class: 'hint' }, 'Why connections left their pools, and why others could not be opened, since the start. What is marked is worth a look; the rest is as it should be.'),
      part(() => card('Discards by reason', reasons(total('discards')))),
      part(() => card('Opens that failed', failures(total('failures')))),
    ];
  }

  function limits() {
    return [
      el('p', { class: 'hint' }, 'The limits that services share: how many connections the fleet may have (leases), and how many it may begin each second (permits).'),
      part(() => {
        const fleet = Object.entries(state.fleet);
        const leases = fleet.map(([, f]) => f.leases).filter(f => f.limit > 0);
        return [
          card('Leases', leases.length === 0
            ? el('p', { class: 'soft' }, 'Leases are off here: the number of connections is not shared.')
            : el('dl', { class: 'tiles' },
              tile('leased by the fleet, as last seen', count(Math.max(...leases.map(f => f.active))), 'of ' + count(leases[0].limit)),
              tile('slots of these services', count(sum(leases, 'slots'))),
              tile('connections on them', count(sum(leases, 'held'))),
              tile('not covered', count(sum(leases, 'excess')), '', sum(leases, 'excess') ? 'bad' : null))),
          card('Services', table(
            [text('Service'), text('Store'), number('Slots'), number('Held'), number('Not covered'), number('Lost'), number('Reaped'), number('Permits'), number('Told to wait'), number('Unused')],
            fleet.map(([name, f]) => [name, el('span', { class: f.store === 'up' ? 'good' : 'bad' }, f.store), count(f.leases.slots), count(f.leases.held), count(f.leases.excess), count(f.leases.lost),
              count(f.leases.reaped), count(f.permits.granted), count(f.permits.postponed), count(f.permits.wasted)]),
            'No limit is shared.')),
        ];
      }),
    ];
  }

  function transactions() {
    const series = [...groups.keys()].map((name, i) => ({ label: name, color: SERIES[i % SERIES.length] }));
    return [
      el('p', { class: 'hint' }, 'A transaction that meets a conflict is run again; one whose outcome is unknown never is.'),
      el('div', { class: 'grid' }, chart('Conflicts', 'a second', series, () => columns('conflicts'))),
      part(() => el('section', { class: 'card' }, table(
        [text('On'), number('Committed'), number('Conflicts'), number('Conflicts per 100'), number('Given up'), number('Failed'), number('Unknown')],
        Object.entries(state.transactions).map(([name, t]) => [name, count(t.committed), count(t.conflicts), t.committed ? rate(100 * t.conflicts / t.committed) : '–',
          el('span', { class: t.givenUp ? 'bad' : null }, count(t.givenUp)), count(t.failed), el('span', { class: t.unknown ? 'bad' : null }, count(t.unknown))]),
        'There were none.'))),
    ];
  }

  function servers() {
    return [part(() => el('section', { class: 'card' }, table(
      [text('Server'), text('Type'), text('Health'), number('Probes'), number('Failed'), text('Last'), long('Trouble')],
      state.servers.map(s => [el('a', { href: '#/pool/' + encodeURIComponent(s.name) }, s.name), s.type,
        el('span', { class: 'tag ' + (s.health === 'healthy' ? 'good' : s.health === 'unknown' ? 'warn' : 'bad') }, s.health),
        count(s.checks), count(s.checkFailures), s.sinceCheck === null ? 'never' : seconds(Math.floor(s.sinceCheck)) + ' ago', s.trouble]),
      'No server is defined yet: CREATE SERVER, at the port for SQL.')))];
  }

  function holders() {
    return [
      el('p', { class: 'hint' }, 'Who has had a connection longest. What is held for long is missing elsewhere: look for work done while holding one, or for one that was never closed.'),
      part(() => el('section', { class: 'card' }, table([text('Held'), text('Pool'), text('By'), long('Connection')],
        state.holders.map(h => [seconds(h.held), h.pool, h.who, h.connection]), 'Nobody holds a connection.'))),
    ];
  }

  function eventList(list) {
    if (list.length === 0) {
      return el('p', { class: 'soft' }, 'Nothing worth telling has happened.');
    }
    return el('ol', { class: 'events' }, list.map(e => el('li', { class: e.gravity },
      el('time', {}, clock(e.last)), el('strong', {}, e.title), ' ', el('span', { class: 'soft' }, e.where + (e.times > 1 ? ', ' + count(e.times) + ' times since ' + clock(e.first) : '')),
      e.detail ? el('p', {}, e.detail) : null,
      el('p', { class: 'soft' }, e.meaning))));
  }

  function happenings() {
    return [part(() => el('section', { class: 'card' }, eventList(events)))];
  }

  let shownPool = null;
  let onlySet = false;

  function settingsTable(settings) {
    const shown = settings.filter(s => (!onlySet || s.origin !== 'default') && (s.name + ' ' + s.value).toLowerCase().includes(filter.toLowerCase()));
    return table([text('Setting'), long('Value'), text('From')],
      shown.map(s => [s.name, s.value, el('span', { class: s.origin === 'default' ? 'soft' : null }, s.origin)]), 'There is no such setting.');
  }

  function settings() {
    const names = state.pools.map(p => p.name);
    shownPool = names.includes(shownPool) ? shownPool : names[0];
    if (!shownPool) {
      return [el('p', { class: 'hint' }, 'There are no pools yet.')];
    }
    look(shownPool);
    return [
      el('p', { class: 'hint' }, 'What is in force, and who said so.'),
      el('div', { class: 'tools' },
        el('label', {}, 'Pool ', el('select', { change: e => { shownPool = e.target.value; look(shownPool); } }, names.map(name => el('option', { selected: name === shownPool }, name)))),
        el('input', { type: 'search', id: 'filter', placeholder: 'Filter', 'aria-label': 'Filter by name or value', value: filter, input: e => { filter = e.target.value; draw(); } }),
        el('label', {}, el('input', { type: 'checkbox', checked: onlySet, change: e => { onlySet = e.target.checked; draw(); } }), ' only what was set')),
      part(() => el('section', { class: 'card' }, pool && pool.name === shownPool ? settingsTable(pool.settings) : el('p', { class: 'soft' }, 'Asking …'))),
    ];
  }

  function onePool(name) {
    shownPool = name; // for the settings
    look(name);
    const now = () => state.pools.find(p => p.name === name);
    const column = (label, floor) => () => pool && pool.name === name ? [pool.history.time, pool.history[label].map(v => floor ? Math.max(floor, v) : v)] : [[], []];
    const two = (a, b) => () => pool && pool.name === name ? [pool.history.time, pool.history[a], pool.history[b]] : [[], [], []];
    return [
      el('p', {}, el('a', { href: '#/pools' }, '← all pools')),
      el('h2', {}, name),
      part(() => {
        const p = now();
        if (!p) {
          return el('p', { class: 'hint' }, 'There is no pool of this name.');
        }
        return el('p', { class: 'tools' }, stateTag(p), level(p), el('span', { class: 'soft' }, count(p.leased) + ' in use, ' + count(p.opening) + ' on the way, ' + count(p.waiting) + ' waiting'));
      }),
      part(() => state.mayAct && pool && pool.name === name && now()
        ? el('p', { class: 'buttons actions' }, pool.actions.map(a => el('button', { type: 'button', 'data-action': a.name }, a.label + ' …')))
        : el('p', { class: 'soft' }, pool && pool.name === name && pool.actions.length ? 'This page is for looking only: start it with --allow-actions to warm up, evict, pause and resize.' : '')),
      el('div', { class: 'grid' },
        chart('Level', 'connections', [{ label: 'open', color: '--series-0' }, { label: 'in use', color: '--series-2' }], two('open', 'leased')),
        chart('Connects', 'a second', [{ label: 'connects', color: '--series-0' }], column('connects')),
        chart('Checkout p99', 'milliseconds', [{ label: 'p99', color: '--series-0' }], column('p99', 0.001), true),
        chart('Checkouts', 'a second, and who waits', [{ label: 'checkouts', color: '--series-0' }, { label: 'waiting', color: '--series-1' }], two('checkouts', 'waiting'))),
      part(() => now() ? card('Discards by reason', reasons(now().discards)) : null),
      part(() => now() ? card('Opens that failed', failures(now().failures)) : null),
      part(() => pool && pool.name === name && pool.parts.length ? card('Users', table(
        [text('User'), number('Open'), number('In use'), number('Waiting'), number('Acquires'), number('In vain'), number('Average wait ms')],
        pool.parts.map(u => [u.name, count(u.open), count(u.leased), count(u.waiting), count(u.checkouts), count(u.timeouts), millis(u.averageMillis)]), '')) : null),
      part(() => pool && pool.name === name ? card('What was set', settingsTable(pool.settings.filter(s => s.origin !== 'default')),
        el('p', { class: 'soft' }, 'The rest is at its default: ', el('a', { href: '#/settings' }, 'all settings'), '.')) : null),
    ];
  }

  const VIEWS = [
    { path: 'overview', label: 'Overview', make: overview },
    { path: 'pools', label: 'Pools', make: pools },
    { path: 'discards', label: 'Discards', make: discards },
    { path: 'limits', label: 'Limits', make: limits, when: () => sizeOf(state.fleet) > 0 },
    { path: 'transactions', label: 'Transactions', make: transactions, when: () => sizeOf(state.transactions) > 0 },
    // Where there are services there is no registry; a registry without servers says how to define one.
    { path: 'servers', label: 'Servers', make: servers, when: () => sizeOf(state.transactions) === 0 },
    { path: 'holders', label: 'Holders', make: holders },
    { path: 'events', label: 'Events', make: happenings },
    { path: 'settings', label: 'Settings', make: settings },
  ];

  const offered = () => VIEWS.filter(v => !v.when || v.when());

  // ---- going from one view to another

  function navigate(focus) {
    if (!state) {
      return;
    }
    const path = location.hash.replace(/^#\/?/, '');
    const onePoolName = /^pool\/(.+)$/.exec(path);
    const wanted = onePoolName ? null : offered().find(v => v.path === path) || offered()[0];
    filter = '';
    pool = null;
    endCharts();
    live.clear();
    view = { groups: groups.size };
    document.title = (wanted ? wanted.label : decoded(onePoolName[1])) + ' – ' + state.title;
    const made = wanted ? [el('h2', {}, wanted.label), ...wanted.make()] : onePool(decoded(onePoolName[1]));
    main.replaceChildren(...made);
    drawNav(wanted ? wanted.path : 'pools');
    draw();
    if (focus) {
      main.focus();
      scrollTo(0, 0);
    }
  }

  function drawNav(current) {
    byId('nav').hidden = false;
    byId('nav').replaceChildren(...offered().map((v, i) => el('a', { href: '#/' + v.path, 'aria-current': v.path === current ? 'page' : null, 'aria-keyshortcuts': i + 1 }, v.label)));
    const shown = byId('nav').querySelector('[aria-current]');
    if (shown && byId('nav').scrollWidth > byId('nav').clientWidth) {
      byId('nav').scrollLeft = shown.offsetLeft - 20;
    }
  }

  function draw() {
    live.forEach(one => one());
    charts.forEach(one => one.draw());
  }

  addEventListener('hashchange', () => {
    if (location.hash.startsWith('#token=')) {
      token = takeToken();
    }
    if (location.hash === '#main') {
      main.focus();
      return;
    }
    navigate(true);
  });

  // ---- asking the server

  const PATIENCE = 10000; // milliseconds

  async function ask(path, options) {
    if (!/^[ -~]*$/.test(token)) { // a header cannot hold it, so it is none
      leave('That is not the token.');
      throw new Error('not the token');
    }
    const answer = await fetch(path, Object.assign({ headers: { Authorization: 'Bearer ' + token }, cache: 'no-store' }, options));
    if (answer.status === 401) {
      leave('That is not the token.');
      throw new Error('not the token');
    }
    const said = await answer.json();
    if (!answer.ok) {
      throw new Error(said.refused || 'status ' + answer.status);
    }
    return said;
  }

  /** Begins to follow one pool. */
  function look(name) {
    pool = null;
    follow(name);
  }

  async function follow(name) {
    const before = pool;
    const more = await ask('api/pool?name=' + encodeURIComponent(name) + '&since=' + (before && before.name === name ? before.tick : 0)).catch(() => null);
    if (more && pool === before) {
      more.history = append(before ? before.history : {}, more.history);
      pool = more;
      draw();
    }
  }

  function status(kind, said) {
    const place = byId('status');
    if (place.textContent !== said) {
      place.textContent = said;
      place.className = kind;
    }
  }

  let polling = null; // the token that is asked with; two questions at once would bring the same samples twice

  async function poll() {
    if (!token || still || document.hidden || polling === token) {
      return;
    }
    const asked = token;
    polling = asked;
    try {
      await pollAs(asked);
    } finally {
      if (polling === asked) {
        polling = null;
      }
    }
  }

  async function pollAs(asked) {
    let said;
    try {
      said = await ask('api/state?since=' + tick + '&seen=' + seen, { signal: AbortSignal.timeout(PATIENCE) });
    } catch (e) {
      if (token === asked) {
        status('lost', 'no answer; trying again');
        tick = 0; // it may be another one that answers next
        seen = -1;
      }
      return;
    }
    if (token !== asked) { // somebody has left meanwhile
      return;
    }
    if (said.tick < tick || tick === 0) {
      groups.clear();
    }
    tick = said.tick;
    seen = said.version;
    for (const group of said.groups) {
      const known = groups.get(group.name);
      groups.set(group.name, { connectLimit: group.connectLimit, history: append(known ? known.history : {}, group.history) });
    }
    events = said.events || events;
    const first = state === null;
    state = said;
    byId('title').textContent = said.title;
    byId('leave').hidden = false;
    if (first) {
      words = await ask('api/words').catch(() => words);
    }
    if (first || !view || view.groups !== groups.size) {
      navigate(false);
    } else {
      draw();
    }
    status('live', said.mayAct ? 'live, may act' : 'live, read-only');
    if (pool) {
      follow(pool.name);
    }
  }

  async function go() {
    await poll();
    setTimeout(go, 1000);
  }

  document.addEventListener('visibilitychange', () => poll());

  // ---- coming and leaving

  function leave(trouble) {
    sessionStorage.removeItem('token');
    token = null;
    state = null;
    view = null;
    tick = 0;
    seen = -1;
    groups.clear();
    endCharts();
    live.clear();
    byId('nav').hidden = true;
    byId('leave').hidden = true;
    document.title = 'Forebay';
    status('', 'locked');
    const form = byId('enter').content.cloneNode(true);
    main.replaceChildren(form);
    main.querySelector('.trouble').textContent = trouble;
    main.querySelector('input').focus();
    main.querySelector('form').addEventListener('submit', e => {
      e.preventDefault();
      token = new FormData(e.target).get('token').trim();
      sessionStorage.setItem('token', token);
      poll();
    });
  }

  byId('leave').addEventListener('click', () => leave(''));

  // ---- doing something, after asking

  main.addEventListener('click', e => {
    const button = e.target.closest('button[data-action]');
    if (button && pool) {
      question(pool, pool.actions.find(a => a.name === button.dataset.action));
    }
  });

  function question(on, action) {
    byId('ask-title').textContent = action.label + ': ' + on.name;
    byId('ask-question').textContent = action.question;
    byId('ask-trouble').textContent = '';
    byId('ask-do').disabled = false;
    byId('ask-do').textContent = action.label;
    const inputs = action.arguments.map(a => el('input', { type: 'number', name: a.name, min: a.least, max: a.most, step: 1, value: a.suggested, required: true, input: statement }));
    byId('ask-arguments').replaceChildren(...action.arguments.map((a, i) => el('label', {}, a.label, inputs[i])));
    function statement() {
      byId('ask-statement').hidden = !action.statement;
      byId('ask-statement').textContent = inputs.reduce((sql, input) => {
        const place = sql.lastIndexOf(':' + input.name);
        return sql.slice(0, place) + input.value + sql.slice(place + 1 + input.name.length);
      }, action.statement);
    }
    statement();
    byId('ask-do').onclick = async () => {
      if (!inputs.every(input => input.reportValidity())) {
        return;
      }
      const form = new URLSearchParams({ pool: on.name, action: action.name });
      inputs.forEach(input => form.set(input.name, input.value));
      byId('ask-do').disabled = true;
      try {
        await ask('api/act', { method: 'POST', body: form });
        byId('ask').close('done');
        look(on.name);
        poll();
      } catch (e) {
        byId('ask-trouble').textContent = e.message;
        byId('ask-do').disabled = false;
      }
    };
    byId('ask').showModal();
  }

  byId('ask').addEventListener('keydown', e => {
    if (e.key === 'Enter' && e.target.matches('input')) { // not the first button of the form, which is Cancel
      e.preventDefault();
      byId('ask-do').click();
    }
  });

  // ---- keys

  byId('keys').addEventListener('click', () => byId('help').showModal());

  addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]') || e.target.matches('input, select')) {
      return;
    }
    if (e.key === '?') {
      byId('help').showModal();
    } else if (state && e.key >= '1' && e.key <= '9' && offered()[e.key - 1]) {
      location.hash = '#/' + offered()[e.key - 1].path;
    } else if (e.key === '/' && byId('filter')) {
      e.preventDefault();
      byId('filter').focus();
    } else if (state && e.key === 'p') {
      still = !still;
      status(still ? '' : 'live', still ? 'held still; p goes on' : 'live');
    }
  });

  if (token) {
    main.replaceChildren(el('p', { class: 'hint' }, 'Asking …'));
  } else {
    leave('');
  }
  go();
})();
