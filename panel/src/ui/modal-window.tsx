import '@mantine/core/styles/Modal.layer.css';
import { Modal, type ModalProps } from '@mantine/core';
import { useOpenedAfterMount } from './opening.ts';

const modalMs = 300;
const backdropMs = 150;

export function ModalWindow({ opened, ...rest }: ModalProps) {
  return (
    <Modal
      {...rest}
      opened={useOpenedAfterMount(opened)}
      centered
      classNames={{
        overlay: 'overlay-veil',
        content: 'overlay-content',
        header: 'overlay-head',
        title: 'overlay-title',
        body: 'overlay-body',
      }}
      transitionProps={{ transition: 'fade-up', duration: modalMs }}
      overlayProps={{ transitionProps: { duration: backdropMs } }}
      // Otherwise its <header> would be a second banner landmark of the page.
      attributes={{ header: { role: 'presentation' } }}
    />
  );
}
