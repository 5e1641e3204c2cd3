import type { RefObject } from 'preact';
import { type Point, pathOf } from '../layout/layout.ts';
import type { Face } from './face.ts';
import type { Scene } from './scene.ts';

interface SvgGraphProps {
  readonly scene: Scene;
  /** The part that the camera moves. */
  readonly moved: RefObject<SVGGElement | null>;
  /** The `id` attribute of a node. */
  readonly idOf: (index: number) => string;
}

/** The drawing of a graph of some hundred nodes. */
export function SvgGraph({ scene, moved, idOf }: SvgGraphProps) {
  const { layout, faces, selected, active } = scene;
  const arrow = `${idOf(0)}-arrow`;
  return (
    <svg class="graph-svg" role="presentation">
      <defs>
        <marker
          id={arrow}
          viewBox="0 0 8 8"
          refX="7.5"
          refY="4"
          markerUnits="userSpaceOnUse"
          markerWidth="10"
          markerHeight="10"
          orient="auto"
        >
          <path class="graph-arrow" d="M0 0.5L8 4L0 7.5z" />
        </marker>
      </defs>
      <g ref={moved}>
        <g>
          {layout.routes.map((route) => {
            const isNear = route.from === selected || route.to === selected;
            return (
              <path
                key={`${route.from} ${route.to}`}
                class={isNear ? 'graph-edge is-near' : 'graph-edge'}
                d={pathOf(route)}
                marker-end={`url(#${arrow})`}
              />
            );
          })}
        </g>
        {faces.map((face, index) => (
          <SvgNode
            key={idOf(index)}
            id={idOf(index)}
            face={face}
            corner={layout.corners[index] ?? { x: 0, y: 0 }}
            size={scene.size}
            isSelected={index === selected}
            isActive={index === active}
          />
        ))}
      </g>
    </svg>
  );
}

interface SvgNodeProps {
  readonly id: string;
  readonly face: Face;
  readonly corner: Point;
  readonly size: Scene['size'];
  readonly isSelected: boolean;
  readonly isActive: boolean;
}

function SvgNode({ id, face, corner, size, isSelected, isActive }: SvgNodeProps) {
  const { title, detail, glyph, marks, badge, isFold, status, name } = face;
  const classes = [
    'graph-node',
    `graph-${glyph?.tone ?? 'plain'}`,
    ...(status === 'PENDING' || status === 'SKIPPED' ? ['is-pale'] : []),
    ...(isSelected ? ['is-selected'] : []),
    ...(isActive ? ['is-active'] : []),
  ];
  const badgeWidth = 14 + 6.4 * (badge?.length ?? 0);
  return (
    <g
      id={id}
      role="option"
      aria-selected={isSelected}
      class={classes.join(' ')}
      transform={`translate(${corner.x} ${corner.y})`}
    >
      {/* The name of the option, and its tooltip. */}
      <title>{name}</title>
      {isFold && <rect class="graph-back" x={5} y={5} width={size.width} height={size.height} rx={8} />}
      <rect class="graph-ring" x={-4} y={-4} width={size.width + 8} height={size.height + 8} rx={11} />
      <rect class="graph-box" width={size.width} height={size.height} rx={8} />
      {glyph && (
        <text class="graph-glyph" x={17} y={21}>
          {glyph.text}
        </text>
      )}
      <text class="graph-title" x={glyph ? 30 : 12} y={21}>
        {title}
      </text>
      <text class="graph-detail" x={12} y={38}>
        {detail}
      </text>
      {marks.length > 0 && (
        <text class="graph-marks" x={12} y={56}>
          {marks.map(({ text, tone }, index) => (
            <tspan key={text} class={`tone-${tone}`} dx={index === 0 ? 0 : 9}>
              {text}
            </tspan>
          ))}
        </text>
      )}
      {badge !== undefined && (
        <g transform={`translate(${size.width - badgeWidth - 8} -9)`}>
          <rect class="graph-badge" width={badgeWidth} height={18} rx={9} />
          <text class="graph-badge-text" x={badgeWidth / 2} y={13}>
            {badge}
          </text>
        </g>
      )}
    </g>
  );
}
