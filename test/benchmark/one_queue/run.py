#!/usr/bin/env python3
"""Interleaved rounds of bench. run.py [ROUNDS] [GROUP...]; prints, and writes numbers.adoc.

Each figure is the median over the rounds; in brackets the median of the ratios to the reference
(the first context of the group) within a round.
"""
import subprocess, sys, statistics, os
groups = {
 'chains':   (['chains'], ['io', 'io1', 'spike', 'spike_pc', 'today', 'today_pc', 'spike_1'], ['cpu_ns', 'allocs']),
 'outside1': (['outside', '1000000', '1'], ['io', 'spike', 'spike_pc', 'today', 'today_pc'], ['ns', 'cpu_ns', 'csw']),
 'outside2': (['outside', '400000', '2'], ['io', 'spike', 'spike_pc', 'today', 'today_pc'], ['ns', 'cpu_ns', 'csw']),
 'pollone':  (['pollone', '600000'], ['io', 'spike', 'spike_pc', 'today', 'today_pc'], ['cpu_ns']),
 'F_any':    (['server', '64', '0', '1', 'any', '0', '900'], ['io1', 'io', 'spike', 'spike_pc', 'today', 'today_pc'], ['kreq', 'cpu_us', 'csw', 'allocs']),
 'F_own':    (['server', '64', '0', '1', 'own', '0', '900'], ['io1', 'spike', 'spike_pc', 'today', 'today_pc'], ['kreq', 'cpu_us', 'allocs']),
 'F_coro':   (['server', '64', '0', '1', 'coro', '0', '900'], ['io1', 'spike', 'spike_pc', 'today', 'today_pc'], ['kreq', 'cpu_us', 'allocs']),
 'F_native': (['server', '64', '0', '1', 'native', '0', '900'], ['io1', 'spike', 'today'], ['kreq', 'cpu_us', 'allocs']),
 'M_any':    (['server', '64', '8', '2', 'any', '0', '1500'], ['today', 'spike', 'today_0', 'spike_0', 'spike_0a'], ['kreq', 'cpu_us', 'csw', 'allocs', 'slow', 'p50', 'p99', 'p999', 'taken']),
 'M_native': (['server', '64', '8', '2', 'native', '0', '1500'], ['today', 'spike', 'spike_token'], ['kreq', 'cpu_us', 'csw', 'allocs', 'slow', 'p50', 'p99', 'p999', 'taken']),
 'M_coro':   (['server', '64', '8', '2', 'coro', '0', '1500'], ['today', 'spike'], ['kreq', 'cpu_us', 'csw', 'allocs', 'slow', 'p99', 'taken']),
 'sparse_any':    (['server', '8', '0', '2', 'any', '1000', '1500'], ['io', 'today', 'spike'], ['cpu_us', 'csw', 'p50', 'p99']),
 'sparse_native': (['server', '8', '0', '2', 'native', '1000', '1500'], ['io', 'today', 'spike'], ['cpu_us', 'csw', 'p50', 'p99']),
 'sparse_M_native': (['server', '8', '8', '2', 'native', '1000', '1500'], ['today', 'spike', 'spike_visits'], ['cpu_us', 'csw', 'p50', 'p99', 'slow']),
 'sparse_M_any': (['server', '8', '8', '2', 'any', '1000', '1500'], ['today', 'spike'], ['cpu_us', 'csw', 'p50', 'p99', 'slow']),
 'PEC': (['server', '64', '8', '2', 'any', '0', '900'], ['today_pec', 'spike_pec'], ['kreq', 'cpu_us', 'csw', 'allocs', 'p99']),
}
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
wanted = sys.argv[2:] or list(groups)
out = open(os.path.join(os.path.dirname(__file__) or '.', 'numbers.adoc'), 'a')
def run(args, ctx):
    r = subprocess.run(['./bench', args[0], ctx] + args[1:], capture_output=True, text=True, timeout=60)
    w = r.stdout.split()
    return {w[i]: float(w[i + 1]) for i in range(0, len(w) - 1, 2)}
for g in wanted:
    args, ctxs, figures = groups[g]
    data = {c: [] for c in ctxs}
    loads = []
    for r in range(rounds):
        loads.append(os.getloadavg()[0])
        for c in ctxs if r % 2 == 0 else reversed(ctxs):
            try: data[c].append(run(args, c))
            except Exception as e: data[c].append({}); print('FAILED', g, c, e, flush=True)
    lines = [f'.{g}: bench {" ".join(args)}; {rounds} rounds; load {min(loads):.1f}-{max(loads):.1f}', '[cols="2' + ',1' * len(figures) + '"]', '|===', '| context ' + ''.join(f'| {f} ' for f in figures), '']
    for c in ctxs:
        line = f'| {c} '
        for f in figures:
            v = [d.get(f) for d in data[c] if f in d]
            if not v: line += '| - '; continue
            q = [d[f] / e[f] for d, e in zip(data[c], data[ctxs[0]]) if f in d and e.get(f)]
            line += f'| {statistics.median(v):.4g}' + (f' ({statistics.median(q):.2f})' if q and c != ctxs[0] else '') + ' '
        lines.append(line)
    lines += ['|===', '']
    print('\n'.join(lines), flush=True); out.write('\n'.join(lines) + '\n'); out.flush()
